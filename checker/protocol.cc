#include "checker/protocol.h"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "checker/check/family_check.h"
#include "checker/clients/account.h"
#include "checker/execute.h"
#include "checker/expectations.h"
#include "checker/fuzz/shrink.h"
#include "checker/fuzz/watcher.h"
#include "sim/field_texts.h"
#include "sim/json_reflect.h"
#include "sim/patterns.h"

namespace zablab {
namespace {

/// How a header says that a role is drawn.
enum class Tone : std::uint8_t { seeking, leading, following, observing, syncing, down };
BOOST_DESCRIBE_ENUM(Tone, seeking, leading, following, observing, syncing, down)

/// An event that gives its node a role.
struct Turn {
  EventPattern event;
  std::string role;
};
BOOST_DESCRIBE_STRUCT(Turn, (), (event, role))

/// Counts events as a trace would have them.
class EventCounter : public AnyListener {
 public:
  explicit EventCounter(const AnyCluster& cluster) : telling_(cluster, Names({})) {}

  void on(const AnyHappened& happened) override {
    const std::string_view kind = telling_.kind(happened);
    if (!kind.empty()) ++counts[kind];
    telling_.note(happened);
  }
  std::map<std::string_view, std::uint64_t> counts;

 private:
  Telling telling_;
};

NamedText named(const InvariantInfo& invariant) {
  return {std::string(invariant.name), std::string(invariant.text)};
}
std::vector<NamedText> named(const NamesAndTexts& texts) {
  std::vector<NamedText> list;
  for (const auto& [name, text] : texts) list.push_back({name, text});
  return list;
}

void addAccount(Trace& trace, const Names& names, Account& account) {
  if (Json written = account.written(); !written.is_null()) trace.header["clients"] = std::move(written);
  for (const Phrase& sentence : account.told()) {
    const Phrase named = sentence.named(names);
    trace.header["answer"].push_back(named.english());
    trace.header["answer_said"].push_back(named.said());
  }
}

void addVerdict(Trace& trace, const Names& names, const AnyMonitor& monitor,
                std::optional<std::uint64_t> violated_at) {
  const Phrase undecided = monitor.undecided();
  TraceVerdict verdict;
  verdict.name = std::string(monitor.info().name);
  verdict.kind = "invariant";
  verdict.verdict = monitor.violation()                                ? "violated"
                    : monitor.obligations() == 0 || !undecided.empty() ? "not exercised"
                                                                       : "held";
  verdict.obligations = monitor.obligations();
  const Phrase why = monitor.violation().value_or(undecided).named(names);
  verdict.text = why.english();
  verdict.said = why.said();
  verdict.event = violated_at;
  verdict.about = monitor.violationAbout().named(names).english();
  trace.header["invariants"].push_back(verdict.name);
  trace.verdicts.push_back(std::move(verdict));
}

Judgement judgementOf(const DrawnRun& run, const std::vector<std::string>& only) {
  return {run.faults_end_ms, run.core, run.probes, run.quiet_ms, only};
}

std::string aboutOf(const DrawnRun& run, const std::string& source) {
  return "Drawn from " + source + ". On: " + toText(run.on) + ". Faults end at " +
         std::to_string(run.faults_end_ms) + " ms.";
}

}  // namespace

// ---- scenarios

void Protocol::checkScenario(const LoadedScenario& scenario) const {
  zablab::checkScenario(family_, scenario);
  const auto checkExpectations = [&](const JsonValue& document, const std::vector<ExpectSpec>& list) {
    for (std::size_t i = 0; i < list.size(); ++i)
      checkInvariantNames(document.find("expect")->elements()[i], list[i]);
  };
  const auto checkChanges = [&](const JsonValue& document, const char* key,
                                const std::vector<FailsWith>& list) {
    checkFailsWith(document, key, list, true);
    for (std::size_t i = 0; i < list.size(); ++i) {
      if (list[i].steps.empty()) continue;
      try {
        zablab::checkScenario(family_, withOverrides(scenario, overridesOf(list[i])));
      } catch (const InputError& error) {
        const JsonValue place = *document.find(key)->elements()[i].find("steps");
        throw place.errorAtKey("with these steps: " + error.message, error.hint);
      }
    }
  };
  checkExpectations(scenario.document, scenario.spec.expect);
  checkChanges(scenario.document, "fails_with", scenario.spec.fails_with);
  if (!scenario.spec.exercise) return;
  const JsonValue& exercise = *scenario.document.find("exercise");
  checkExpectations(exercise, scenario.spec.exercise->expect);
  checkChanges(exercise, "solved_with", scenario.spec.exercise->solved_with);
}

Trace Protocol::run(const LoadedScenario& scenario, const Until& until) const {
  ScenarioRun run(scenario, makeSetup(family_, scenario), until);
  if (until.event) patternChecker(run.cluster()).checkEvent(until.event->fields);
  const auto all = invariants_.all(run.cluster());
  std::vector<ExpectSpec> expected = scenario.spec.expect;
  if (const auto& exercise = scenario.spec.exercise)
    expected.insert(expected.end(), exercise->expect.begin(), exercise->expect.end());
  const auto requested = invariants_.requested(run, namedInvariants(expected));
  const std::array sets{all.get(), requested.get()};
  // By set and monitor: the index of the event that broke it, or of the last one of the step that did.
  std::array<std::vector<std::optional<std::uint64_t>>, sets.size()> violated_at;
  for (std::size_t which = 0; which < sets.size(); ++which) {
    violated_at[which].resize(sets[which]->monitors().size());
    sets[which]->on_violation = [&, which](std::size_t i) { violated_at[which][i] = run.newestEvent(); };
    if (!sets[which]->monitors().empty()) run.watch(*sets[which]);
  }
  Account account(run, clients_(run), true);
  run.watch(account);
  Trace trace = run.execute();
  addAccount(trace, run.names(), account);
  for (std::size_t which = 0; which < sets.size(); ++which) {
    for (std::size_t i = 0; i < violated_at[which].size(); ++i)
      addVerdict(trace, run.names(), *sets[which]->monitors()[i], violated_at[which][i]);
  }
  return trace;
}

BareOutcome Protocol::runBare(const LoadedScenario& scenario, bool monitored) const {
  ScenarioRun run(scenario, makeSetup(family_, scenario), {});
  const auto monitors = invariants_.all(run.cluster());
  if (monitored) run.watch(*monitors);
  BareOutcome outcome;
  outcome.actions = run.executeBare();
  for (const auto& monitor : monitors->monitors()) {
    outcome.obligations += monitor->obligations();
    if (monitor->violation()) outcome.violated.push_back(monitor->violation()->english());
  }
  return outcome;
}

std::map<std::string, std::uint64_t> Protocol::countEvents(const LoadedScenario& scenario) const {
  ScenarioRun run(scenario, makeSetup(family_, scenario), {});
  EventCounter counter(run.cluster());
  run.watch(counter);
  run.executeBare();
  return {counter.counts.begin(), counter.counts.end()};
}

Json Protocol::possibleActions(const LoadedScenario& scenario, Millis time) const {
  return possibleActionsOf(family_, check_, scenario, time);
}

void Protocol::checkHeader() const {
  const JsonValue header = JsonValue::fromJson(family_.header(), "the header of " + std::string(name()));
  for (const char* key : {"roles", "phases"}) {
    const JsonValue* const words = header.find(key);
    if (words == nullptr) throw header.error("there are no " + inBackticks(key));
    read<std::map<std::string, Tone>>(*words);
  }
  const PatternChecker patterns(family_.patternTypes(), {});
  for (const char* key : {"attempts", "elections"}) {
    const JsonValue* const events = header.find(key);
    if (events == nullptr) continue;
    for (const JsonValue& event : events->elements()) patterns.checkEvent(event);
  }
  const JsonValue* const turns = header.find("turns");
  if (turns == nullptr) return;
  for (const JsonValue& place : turns->elements()) {
    const Turn turn = read<Turn>(place);
    patterns.checkEvent(turn.event.fields);
    if (header.find("roles")->find(turn.role) == nullptr)
      throw place.keyError("role", "there is no role " + inBackticks(turn.role));
  }
}

std::optional<ElectionEvents> Protocol::electionEvents() const {
  ElectionEvents events = electionEventsOf(family_.header());
  return events.attempts.empty() ? std::nullopt : std::optional(std::move(events));
}

std::optional<ServerId> Protocol::turnsTo(const step::Ask& ask) const {
  return family_.turnsTo(family_.readAsks({}, ask.what));
}

void Protocol::checkInvariantNames(const JsonValue& place, const ExpectSpec& expect) const {
  if (expect.invariant) {
    std::vector<std::string> known;
    for (const NamedText& invariant : invariants()) known.push_back(invariant.name);
    if (invariants_.judgesStates()) {
      for (const NamedText& of_states : stateInvariants()) known.push_back(of_states.name);
    }
    if (std::find(known.begin(), known.end(), expect.invariant->name) == known.end()) {
      for (const NamedText& of_states : stateInvariants()) {
        if (of_states.name == expect.invariant->name)
          throw place.find("invariant")
              ->keyError("name", inBackticks(of_states.name) + " is checked only by searches");
      }
      const std::string meant = nearest(expect.invariant->name, known);
      throw place.find("invariant")
          ->keyError("name", "there is no invariant " + inBackticks(expect.invariant->name),
                     meant.empty() ? "zablab list invariants lists them" : "did you mean " + meant + "?");
    }
  }
  for (std::size_t i = 0; i < expect.any_of.size(); ++i)
    checkInvariantNames(place.find("any_of")->elements()[i], expect.any_of[i]);
}

void Protocol::checkFailsWith(const JsonValue& document, const char* key, const std::vector<FailsWith>& list,
                              bool is_scenario) const {
  const auto check = [](const JsonValue& place, const char* what, const std::string& name,
                        const std::vector<NamedText>& known) {
    std::vector<std::string> names;
    for (const NamedText& row : known) names.push_back(row.name);
    if (std::find(names.begin(), names.end(), name) == names.end())
      throw place.keyError(what, "there is no " + std::string(what) + " " + inBackticks(name),
                           meant(name, names));
  };
  for (std::size_t i = 0; i < list.size(); ++i) {
    const FailsWith& how = list[i];
    const JsonValue place = document.find(key)->elements()[i];
    const int changes =
        (how.mutation.empty() ? 0 : 1) + (how.rule.empty() ? 0 : 1) + (how.variant.empty() ? 0 : 1);
    if (changes > 1 || (changes == 0 && how.steps.empty()))
      throw place.error(is_scenario ? "use one of `mutation`, `rule` and `variant`, or `steps`, or both"
                                    : "use one of `mutation`, `rule` and `variant`");
    if (!how.steps.empty() && !is_scenario)
      throw place.keyError("steps", "only a scenario has steps",
                           "use one of `mutation`, `rule` and `variant`");
    if (!how.mutation.empty()) check(place, "mutation", how.mutation, mutations());
    if (!how.variant.empty()) check(place, "variant", how.variant, variants());
    std::string_view rest = how.rule;  // "name=value", or several with ", " between them
    while (!rest.empty()) {
      const std::size_t end = std::min(rest.find(", "), rest.size());
      check(place, "rule", std::string(rest.substr(0, end)), rules());
      rest.remove_prefix(std::min(end + 2, rest.size()));
    }
  }
}

// ---- models

void Protocol::checkModel(const LoadedModel& model) const {
  checkModelOf(family_, check_, model);
  checkFailsWith(model.document, "fails_with", model.spec.fails_with, false);
}

CheckResult Protocol::check(const LoadedModel& model, const CheckOptions& options) const {
  return checkOf(family_, check_, model, options);
}

// ---- random runs

class Protocol::Worker : public FuzzWorker {
 public:
  Worker(const Protocol& protocol, const FuzzTarget& target)
      : protocol_(protocol), target_(target), counts_(protocol.family_, protocol.fuzz_) {
    if (!target.scenario) return;
    scenario_ = withOverrides(*target.scenario, target.overrides);
    scenario_.spec.expect.clear();  // only the invariants of a workload are judged
  }

  RunOutcome run(std::uint64_t seed) override {
    ++noted_.seeds;
    if (target_.scenario) {
      scenario_.spec.seed = seed;
      return protocol_.runOnce(scenario_, {.only = target_.invariants}, counts_, seed, nullptr, nullptr);
    }
    auto [run, outcome] = protocol_.runSeed(target_, seed, counts_);
    notePlan(noted_, run);
    return outcome;
  }

  FuzzStatistics statistics() const override {
    FuzzStatistics all = counts_.statistics();
    all.add(noted_);
    return all;
  }

 private:
  const Protocol& protocol_;
  const FuzzTarget& target_;
  LoadedScenario scenario_;
  FuzzCounts counts_;
  FuzzStatistics noted_;
};

std::unique_ptr<FuzzWorker> Protocol::fuzzWorker(const FuzzTarget& target) const {
  return std::make_unique<Worker>(*this, target);
}

Scenario Protocol::drawScenario(const FuzzTarget& target, std::uint64_t seed) const {
  if (target.scenario) {
    Scenario scenario = withOverrides(*target.scenario, target.overrides).spec;
    scenario.seed = seed;
    return scenario;
  }
  FuzzCounts counts(family_, fuzz_);
  DrawnRun run = runSeed(target, seed, counts).first;
  run.scenario.name = "seed " + std::to_string(seed);
  run.scenario.about = aboutOf(run, run.scenario.name);
  return std::move(run.scenario);
}

std::pair<Scenario, RunOutcome> Protocol::runChosen(const FuzzTarget& target,
                                                    const RunChoices& choices) const {
  FuzzCounts counts(family_, fuzz_);
  auto [run, outcome] = runDrawn(target, choices, std::nullopt, counts);
  Scenario scenario = run.scenario;
  scenario.about = aboutOf(run, "choices");
  if (!outcome.failure) return {std::move(scenario), std::move(outcome)};
  std::vector<Choice> made;
  runOnce({run.scenario, {}}, judgementOf(run, target.invariants), counts, 1, choices.running(), &made);
  pin(scenario, made);
  scenario.name = outcome.failure->what;
  if (outcome.failure->isViolation()) {
    // Steps after the end are kept: a server that has a `start` among them does not run from the beginning.
    scenario.until = outcome.failure->time + 1;
    scenario.expect.clear();
    ExpectSpec expect;
    expect.invariant = InvariantSpec{outcome.failure->what, "held"};
    scenario.expect.push_back(std::move(expect));
  }
  return {std::move(scenario), std::move(outcome)};
}

RunOutcome Protocol::judge(const Scenario& scenario, std::vector<Choice>* made,
                           const std::vector<std::string>& only) const {
  FuzzCounts counts(family_, fuzz_);
  Judgement judgement = zablab::judgementOf(scenario, [this](const step::Ask& ask) { return turnsTo(ask); });
  judgement.only = only;
  return runOnce({scenario, {}}, judgement, counts, scenario.seed.value_or(1), nullptr, made);
}

RunOutcome Protocol::runOnce(const LoadedScenario& scenario, const Judgement& judgement, FuzzCounts& counts,
                             std::uint64_t seed, std::unique_ptr<ChoiceSource> source,
                             std::vector<Choice>* made) const {
  return runWatched({family_, fuzz_, invariants_, clients_}, scenario, judgement, counts, seed,
                    std::move(source), made);
}

DrawnRun Protocol::drawn(const FuzzTarget& target, std::unique_ptr<ChoiceSource> source,
                         const std::set<ServerId>& unable) const {
  Choices choices(std::move(source), [](ChoiceKind, std::uint8_t) { return std::string(); });
  choices.remember(false);
  DrawnRun run = fuzz_.draw(target.shape, choices, unable);
  Scenario& scenario = run.scenario;
  if (protocols().front()->name() != name()) scenario.protocol = std::string(name());
  const Overrides& overrides = target.overrides;
  if (overrides.variant) scenario.variant = *overrides.variant;
  for (const auto& [rule, value] : overrides.rules) scenario.rules[rule] = value;
  scenario.mutations.insert(scenario.mutations.end(), overrides.mutations.begin(), overrides.mutations.end());
  return run;
}

/// Draws a run and runs it. If a server of the core cannot start, the faults stop on another core instead, as
/// long as there is a quorum of others: up to that point it is the same run.
std::pair<DrawnRun, RunOutcome> Protocol::runDrawn(const FuzzTarget& target, const RunChoices& choices,
                                                   std::optional<std::uint64_t> seed,
                                                   FuzzCounts& counts) const {
  std::set<ServerId> unable;
  for (;;) {
    DrawnRun run = drawn(target, choices.drawing(), unable);
    run.scenario.seed = seed;
    RunOutcome outcome = runOnce({run.scenario, {}}, judgementOf(run, target.invariants), counts,
                                 seed.value_or(1), choices.running ? choices.running() : nullptr, nullptr);
    unable.insert(outcome.unable.begin(), outcome.unable.end());
    std::size_t able = 0;
    for (const ServerId voter : run.voters) able += unable.contains(voter) ? 0 : 1;
    if (outcome.unable.empty() || 2 * able <= run.voters.size()) return {std::move(run), std::move(outcome)};
  }
}

std::pair<DrawnRun, RunOutcome> Protocol::runSeed(const FuzzTarget& target, std::uint64_t seed,
                                                  FuzzCounts& counts) const {
  return runDrawn(target, {[seed] { return std::make_unique<SeededChoices>(seed); }, {}}, seed, counts);
}

// ---- lists

std::vector<std::string> Protocol::eventKinds() const {
  return PatternChecker(family_.patternTypes(), {}).kinds();
}
std::vector<NamedText> Protocol::events() const { return named(eventTexts(family_.patternTypes())); }
std::vector<NamedText> Protocol::messages() const { return named(messageTexts(family_.patternTypes())); }
std::vector<NamedText> Protocol::records() const { return named(recordTexts(family_.patternTypes())); }
std::vector<NamedText> Protocol::stateFields() const { return named(stateTexts(family_.patternTypes())); }
std::vector<NamedText> Protocol::variants() const { return named(family_.variantTexts()); }
std::vector<NamedText> Protocol::rules() const { return named(family_.ruleTexts()); }
std::vector<NamedText> Protocol::mutations() const { return named(family_.mutationTexts()); }

std::vector<NamedText> Protocol::invariants() const {
  std::vector<NamedText> list;
  for (const InvariantInfo& invariant : invariants_.list()) list.push_back(named(invariant));
  return list;
}

std::vector<NamedText> Protocol::stateInvariants() const {
  std::vector<NamedText> list;
  for (const InvariantInfo& invariant : check_.stateInvariants()) {
    list.push_back(named(invariant));
    list.back().text += " (" + std::string(stateInvariantsCheckedBy()) + ")";
  }
  return list;
}

std::string_view Protocol::stateInvariantsCheckedBy() const {
  return invariants_.judgesStates() ? "checked by searches, and by scenarios that name it"
                                    : "checked only by searches";
}

}  // namespace zablab
