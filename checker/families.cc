#include "checker/families.h"

#include <algorithm>
#include <set>
#include <utility>

#include "checker/fuzz/shrink.h"
#include "checker/invariants/zab/recovery.h"
#include "checker/monitor.h"
#include "checker/zab/check_run.h"
#include "checker/zab/fuzz_run.h"
#include "checker/zab/tables.h"
#include "sim/patterns.h"
#include "sim/zab/binding.h"
#include "sim/zab/narrative.h"

namespace zablab {
namespace {

template <class F>
Trace run(const LoadedScenario& scenario, const Until& until,
          std::unique_ptr<MonitorSet<F>> (*monitors_of)(const Cluster<F>&)) {
  ScenarioRun<F> run(scenario, makeSetup<F>(scenario), until);
  const auto set = monitors_of(run.cluster());
  const auto& monitors = set->monitors();
  // The index of the event that broke it, or of the last one of the step that did.
  std::vector<std::optional<std::uint64_t>> violated_at(monitors.size());
  set->on_violation = [&](std::size_t i) { violated_at[i] = run.newestEvent(); };
  run.watch(*set);
  Trace trace = run.execute();
  for (std::size_t i = 0; i < monitors.size(); ++i) {
    const Monitor<F>& monitor = *monitors[i];
    TraceVerdict verdict;
    verdict.name = std::string(monitor.info().name);
    verdict.kind = "invariant";
    verdict.verdict = monitor.violation()          ? "violated"
                      : monitor.obligations() == 0 ? "not exercised"
                                                   : "held";
    verdict.obligations = monitor.obligations();
    verdict.text = monitor.violation().value_or("");
    verdict.event = violated_at[i];
    trace.header["invariants"].push_back(verdict.name);
    trace.verdicts.push_back(std::move(verdict));
  }
  return trace;
}

void override(Scenario& scenario, const Overrides& overrides) {
  if (overrides.variant) scenario.variant = *overrides.variant;
  for (const auto& [rule, value] : overrides.rules) scenario.rules[rule] = value;
  scenario.mutations.insert(scenario.mutations.end(), overrides.mutations.begin(), overrides.mutations.end());
}

zab::DrawnRun drawn(const FuzzTarget& target, std::unique_ptr<ChoiceSource> source,
                    const std::set<ServerId>& unable) {
  Choices choices(std::move(source), [](ChoiceKind, std::uint8_t) { return std::string(); });
  choices.remember(false);
  zab::DrawnRun run = zab::drawRun(target.shape, choices, unable);
  override(run.scenario, target.overrides);
  return run;
}

zab::Judgement judgementOf(const zab::DrawnRun& run, const std::vector<std::string>& only) {
  return {run.faults_end_ms, run.core, run.probes, run.quiet_ms, only};
}

/// Draws a run and runs it. Where a server of the core cannot start, the faults stop on another core instead,
/// as long as there is a quorum of others: it is the same run up to there.
std::pair<zab::DrawnRun, RunOutcome> runDrawn(const FuzzTarget& target, const RunChoices& choices,
                                              std::optional<std::uint64_t> seed, zab::FuzzCounter& counter) {
  std::set<ServerId> unable;
  for (;;) {
    zab::DrawnRun run = drawn(target, choices.drawing(), unable);
    run.scenario.seed = seed;
    const LoadedScenario scenario{run.scenario, {}};
    RunOutcome outcome = zab::runCounted(scenario, judgementOf(run, target.invariants), counter,
                                         seed.value_or(1), choices.running ? choices.running() : nullptr);
    unable.insert(outcome.unable.begin(), outcome.unable.end());
    std::size_t able = 0;
    for (const ServerId voter : run.voters) able += unable.contains(voter) ? 0 : 1;
    if (outcome.unable.empty() || 2 * able <= run.voters.size()) return {std::move(run), std::move(outcome)};
  }
}

std::pair<zab::DrawnRun, RunOutcome> runSeed(const FuzzTarget& target, std::uint64_t seed,
                                             zab::FuzzCounter& counter) {
  return runDrawn(target, {[seed] { return std::make_unique<SeededChoices>(seed); }, {}}, seed, counter);
}

std::string aboutOf(const zab::DrawnRun& run, const std::string& source) {
  return "Drawn from " + source + ". On: " + toText(run.on) + ". Faults end at " +
         std::to_string(run.faults_end_ms) + " ms.";
}

/// What a scenario's expectations of answers say: who has to get one, from which servers, and since when the
/// servers are whole (zab::drawRun).
zab::Judgement judgementOf(const Scenario& scenario) {
  zab::Judgement judgement;
  const auto add = [](std::vector<ServerId>& list, ServerId one) {
    if (std::find(list.begin(), list.end(), one) == list.end()) list.push_back(one);
  };
  for (const ExpectSpec& expect : scenario.expect) {
    if (!expect.event) continue;
    const JsonValue& fields = expect.event->fields;
    const JsonValue* kind = fields.find("kind");
    const JsonValue* node = fields.find("node");
    if (kind == nullptr || node == nullptr || kind->asString() != "answered") continue;
    const auto isIt = [&](const ClientSpec& client) { return client.id == node->asInt64(); };
    if (std::any_of(scenario.clients.begin(), scenario.clients.end(), isIt))
      add(judgement.probes, node->asInt64());
  }
  std::optional<Millis> connected;
  for (const StepSpec& step : scenario.steps) {
    if (!step.at || !step.connect) continue;
    const auto& probes = judgement.probes;
    if (std::find(probes.begin(), probes.end(), step.connect->client) == probes.end()) continue;
    add(judgement.core, step.connect->server);
    connected = std::min(connected.value_or(*step.at), *step.at);
  }
  judgement.faults_end_ms = std::max<Millis>(connected.value_or(0) - zab::probes_after_ms, 0);
  for (const StepSpec& step : scenario.steps) {
    const auto& probes = judgement.probes;
    if (!step.write || std::find(probes.begin(), probes.end(), step.write->client) == probes.end()) continue;
    const auto asking = zab::probe_every_ms * static_cast<Millis>(judgement.core.size());
    judgement.quiet_ms = std::max<Millis>(judgement.quiet_ms, step.write->every - asking);
  }
  return judgement;
}

class ZabFuzzWorker : public FuzzWorker {
 public:
  explicit ZabFuzzWorker(const FuzzTarget& target) : target_(target) {
    if (!target.scenario) return;
    scenario_ = withOverrides(*target.scenario, target.overrides);
    scenario_.spec.expect.clear();  // of a workload the invariants are asked alone
  }

  RunOutcome run(std::uint64_t seed) override {
    ++noted_.seeds;
    if (target_.scenario) {
      scenario_.spec.seed = seed;
      return zab::runCounted(scenario_, {.only = target_.invariants}, counter_, seed);
    }
    auto [run, outcome] = runSeed(target_, seed, counter_);
    zab::notePlan(noted_, run);
    return outcome;
  }

  FuzzStatistics statistics() const override {
    FuzzStatistics all = counter_.statistics();
    all.add(noted_);
    return all;
  }

 private:
  const FuzzTarget& target_;
  LoadedScenario scenario_;
  zab::FuzzCounter counter_;
  FuzzStatistics noted_;
};

/// Of a scenario or a model.
template <class Loaded>
void checkProtocol(const Loaded& loaded) {
  if (loaded.spec.protocol == zab::Family::name) return;
  throw loaded.document.keyError("protocol", "there is no protocol " + inBackticks(loaded.spec.protocol),
                                 "protocols are: zab");
}

void checkInvariantNames(const JsonValue& place, const ExpectSpec& expect) {
  if (expect.invariant) {
    std::vector<std::string> known;
    for (const NamedText& invariant : invariantList()) known.push_back(invariant.name);
    if (std::find(known.begin(), known.end(), expect.invariant->name) == known.end()) {
      const std::string meant = nearest(expect.invariant->name, known);
      throw place.find("invariant")
          ->keyError("name", "there is no invariant " + inBackticks(expect.invariant->name),
                     meant.empty() ? "zablab list invariants names them" : "did you mean " + meant + "?");
    }
  }
  for (std::size_t i = 0; i < expect.any_of.size(); ++i)
    checkInvariantNames(place.find("any_of")->elements()[i], expect.any_of[i]);
}

std::vector<NamedText> named(const std::vector<std::pair<std::string, std::string>>& texts) {
  std::vector<NamedText> list;
  for (const auto& [name, text] : texts) list.push_back({name, text});
  return list;
}

}  // namespace

void checkScenario(const LoadedScenario& scenario) {
  checkProtocol(scenario);
  checkFamily<zab::Family>(scenario);
  for (std::size_t i = 0; i < scenario.spec.expect.size(); ++i)
    checkInvariantNames(scenario.document.find("expect")->elements()[i], scenario.spec.expect[i]);
}

void checkModel(const LoadedModel& model) {
  checkProtocol(model);
  zab::checkModel(model);
}

CheckResult check(const LoadedModel& model, const CheckOptions& options) {
  checkModel(model);
  return zab::check(model, options);
}

Trace runWithMonitors(const LoadedScenario& scenario, const Until& until) {
  checkProtocol(scenario);
  if (until.event)
    PatternChecker<zab::Family>(makeSetup<zab::Family>(scenario).cluster).checkEvent(until.event->fields);
  return run<zab::Family>(scenario, until, &zab::allMonitors);
}

BareOutcome runBare(const LoadedScenario& scenario, bool monitored) {
  checkProtocol(scenario);
  using F = zab::Family;
  ScenarioRun<F> run(scenario, makeSetup<F>(scenario), {});
  const auto monitors = zab::allMonitors(run.cluster());
  if (monitored) run.watch(*monitors);
  BareOutcome outcome;
  outcome.actions = run.executeBare();
  for (const auto& monitor : monitors->monitors()) {
    outcome.obligations += monitor->obligations();
    if (monitor->violation()) outcome.violated.push_back(*monitor->violation());
  }
  return outcome;
}

std::unique_ptr<FuzzWorker> fuzzWorker(const FuzzTarget& target) {
  return std::make_unique<ZabFuzzWorker>(target);
}

Scenario fuzzScenario(const FuzzTarget& target, std::uint64_t seed) {
  if (target.scenario) {
    Scenario scenario = withOverrides(*target.scenario, target.overrides).spec;
    scenario.seed = seed;
    return scenario;
  }
  zab::FuzzCounter counter;
  zab::DrawnRun run = runSeed(target, seed, counter).first;
  run.scenario.name = "seed " + std::to_string(seed);
  run.scenario.about = aboutOf(run, run.scenario.name);
  return std::move(run.scenario);
}

std::pair<Scenario, RunOutcome> runChosen(const FuzzTarget& target, const RunChoices& choices) {
  zab::FuzzCounter counter;
  auto [run, outcome] = runDrawn(target, choices, std::nullopt, counter);
  Scenario scenario = run.scenario;
  scenario.about = aboutOf(run, "choices");
  if (!outcome.failure) return {std::move(scenario), std::move(outcome)};
  std::vector<Choice> made;
  zab::runCounted({run.scenario, {}}, judgementOf(run, target.invariants), counter, 1, choices.running(),
                  &made);
  pin(scenario, made);
  scenario.name = outcome.failure->what;
  if (outcome.failure->isViolation()) {
    // Steps behind the end stay: a server that has a `start` among them does not run from the beginning.
    scenario.until = outcome.failure->time + 1;
    scenario.expect.clear();
    ExpectSpec expect;
    expect.invariant = InvariantSpec{outcome.failure->what, "held"};
    scenario.expect.push_back(std::move(expect));
  }
  return {std::move(scenario), std::move(outcome)};
}

RunOutcome judgeScenario(const Scenario& scenario, std::vector<Choice>* made,
                         std::unique_ptr<ChoiceSource> source, const std::vector<std::string>& only) {
  zab::FuzzCounter counter;
  const LoadedScenario loaded{scenario, {}};
  zab::Judgement judgement = judgementOf(scenario);
  judgement.only = only;
  return zab::runCounted(loaded, judgement, counter, scenario.seed.value_or(1), std::move(source), made);
}

std::vector<TableFunction> allTableFunctions() { return zab::tableFunctions(); }

std::vector<NamedText> invariantList() {
  std::vector<NamedText> list;
  const Cluster<zab::Family> nobody;
  const auto set = zab::allMonitors(nobody);
  for (const auto& monitor : set->monitors()) {
    list.push_back({std::string(monitor->info().name), std::string(monitor->info().text)});
  }
  return list;
}

std::vector<NamedText> functionList() {
  std::vector<NamedText> list;
  for (const TableFunction& function : allTableFunctions()) list.push_back({function.name, function.text});
  return list;
}

std::vector<std::string> tellElections(const Trace& trace) { return zab::tellElections(trace); }

std::vector<NamedText> variantList() { return named(Binding<zab::Family>::variantTexts()); }
std::vector<NamedText> ruleList() { return named(Binding<zab::Family>::ruleTexts()); }
std::vector<NamedText> mutationList() { return named(Binding<zab::Family>::mutationTexts()); }

}  // namespace zablab
