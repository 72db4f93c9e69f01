// Makes a `Protocol` from a family's parts. Included by the one file of each family that instantiates it.
#pragma once

#include <algorithm>
#include <set>

#include "checker/check/family_check.h"
#include "checker/family.h"
#include "checker/fuzz/run_impl.h"
#include "checker/fuzz/shrink.h"
#include "checker/protocol.h"
#include "checker/requested.h"
#include "sim/binding.h"
#include "sim/patterns.h"
#include "sim/run_of.h"

namespace zablab {

template <class F>
requires HasInvariants<F> && HasFuzz<F>
class ProtocolOf : public Protocol {
  using Fuzz = FuzzOf<F>;
  using Counter = FuzzCounts<F>;

 public:
  std::string_view name() const override { return F::name; }
  std::string_view text() const override { return F::text; }
  const AnyFamily& family() const override { return theFamily<F>(); }

  // ---- scenarios

  void checkScenario(const LoadedScenario& scenario) const override {
    zablab::checkScenario(theFamily<F>(), scenario);
    for (std::size_t i = 0; i < scenario.spec.expect.size(); ++i)
      checkInvariantNames(scenario.document.find("expect")->elements()[i], scenario.spec.expect[i]);
  }

  Trace run(const LoadedScenario& scenario, const Until& until) const override {
    ScenarioRun any(scenario, makeSetup(theFamily<F>(), scenario), until);
    if (until.event) patternChecker(any.cluster()).checkEvent(until.event->fields);
    RunOf<F> run(any);
    const auto set = InvariantsOf<F>::all(run.cluster());
    const auto& monitors = set->monitors();
    // The index of the event that broke it, or of the last one of the step that did.
    std::vector<std::optional<std::uint64_t>> violated_at(monitors.size());
    set->on_violation = [&](std::size_t i) { violated_at[i] = any.newestEvent(); };
    run.watch(*set);
    RequestedSet<F> requested(run, scenario.spec);
    std::vector<std::optional<std::uint64_t>> requested_at(requested.monitors().size());
    requested.on_violation = [&](std::size_t i) { requested_at[i] = any.newestEvent(); };
    Trace trace = any.execute();
    for (std::size_t i = 0; i < monitors.size(); ++i) addVerdict(trace, *monitors[i], "", violated_at[i]);
    for (std::size_t i = 0; i < requested_at.size(); ++i) {
      const Requested<F>& monitor = *requested.monitors()[i];
      addVerdict(trace, monitor, monitor.undecided(), requested_at[i]);
    }
    return trace;
  }

  BareOutcome runBare(const LoadedScenario& scenario, bool monitored) const override {
    ScenarioRun any(scenario, makeSetup(theFamily<F>(), scenario), {});
    RunOf<F> run(any);
    const auto monitors = InvariantsOf<F>::all(run.cluster());
    if (monitored) run.watch(*monitors);
    BareOutcome outcome;
    outcome.actions = any.executeBare();
    for (const auto& monitor : monitors->monitors()) {
      outcome.obligations += monitor->obligations();
      if (monitor->violation()) outcome.violated.push_back(*monitor->violation());
    }
    return outcome;
  }

  std::map<std::string, std::uint64_t> countEvents(const LoadedScenario& scenario) const override {
    ScenarioRun run(scenario, makeSetup(theFamily<F>(), scenario), {});
    EventCounter counter(run.cluster());
    run.watch(counter);
    run.executeBare();
    return {counter.counts.begin(), counter.counts.end()};
  }

  Json possibleActions(const LoadedScenario& scenario, Millis time) const override {
    return possibleActionsOf(theFamily<F>(), theCheck<F>(), scenario, time);
  }

  std::vector<std::string> narrate(const Trace& trace) const override { return Binding<F>::narrate(trace); }
  std::optional<ElectionEvents> electionEvents() const override {
    if constexpr (requires { Binding<F>::election_events; }) {
      constexpr auto events = Binding<F>::election_events;
      return ElectionEvents{events[0], events[1]};
    } else {
      return std::nullopt;
    }
  }

  std::string_view fileField() const override {
    if constexpr (requires { Binding<F>::file_field; }) return Binding<F>::file_field;
    return {};
  }
  OwnKeys ownKeys() const override { return zablab::ownKeys<F>(); }
  std::optional<ServerId> turnsTo(const step::Ask& ask) const override {
    return zablab::turnsTo<F>(readAsks<typename Binding<F>::Asks>({}, ask.what));
  }

  // ---- models

  void checkModel(const LoadedModel& model) const override {
    checkModelOf(theFamily<F>(), theCheck<F>(), model);
  }
  CheckResult check(const LoadedModel& model, const CheckOptions& options) const override {
    if constexpr (requires { InvariantsOf<F>::requested_in_models; }) {
      if (model.spec.invariants.empty())
        return checkOf(theFamily<F>(), theCheck<F>(), withUsualInvariants(model), options);
    }
    return checkOf(theFamily<F>(), theCheck<F>(), model, options);
  }

  // ---- random runs

  std::span<const FuzzSetting> fuzzSettings() const override { return Fuzz::settings; }
  std::unique_ptr<FuzzWorker> fuzzWorker(const FuzzTarget& target) const override {
    return std::make_unique<Worker>(target);
  }

  Scenario drawScenario(const FuzzTarget& target, std::uint64_t seed) const override {
    if (target.scenario) {
      Scenario scenario = withOverrides(*target.scenario, target.overrides).spec;
      scenario.seed = seed;
      return scenario;
    }
    Counter counter;
    DrawnRun run = runSeed(target, seed, counter).first;
    run.scenario.name = "seed " + std::to_string(seed);
    run.scenario.about = aboutOf(run, run.scenario.name);
    return std::move(run.scenario);
  }

  std::pair<Scenario, RunOutcome> runChosen(const FuzzTarget& target,
                                            const RunChoices& choices) const override {
    Counter counter;
    auto [run, outcome] = runDrawn(target, choices, std::nullopt, counter);
    Scenario scenario = run.scenario;
    scenario.about = aboutOf(run, "choices");
    if (!outcome.failure) return {std::move(scenario), std::move(outcome)};
    std::vector<Choice> made;
    Fuzz::run({run.scenario, {}}, judgementOf(run, target.invariants), counter, 1, choices.running(), &made);
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

  RunOutcome judge(const Scenario& scenario, std::vector<Choice>* made,
                   const std::vector<std::string>& only) const override {
    Counter counter;
    Judgement judgement =
        zablab::judgementOf(scenario, [this](const step::Ask& ask) { return turnsTo(ask); });
    judgement.only = only;
    return Fuzz::run({scenario, {}}, judgement, counter, scenario.seed.value_or(1), nullptr, made);
  }

  std::vector<RecordingKind> recordingKinds() const override {
    if constexpr (requires { InvariantsOf<F>::recordingKinds(); }) return InvariantsOf<F>::recordingKinds();
    return {};
  }

  // ---- lists

  std::vector<std::string> eventKinds() const override {
    return PatternChecker(patternTypes<F>(), {}).kinds();
  }
  std::vector<NamedText> variants() const override { return named(Binding<F>::variantTexts()); }
  std::vector<NamedText> rules() const override { return named(Binding<F>::ruleTexts()); }
  std::vector<NamedText> mutations() const override { return named(Binding<F>::mutationTexts()); }
  std::vector<NamedText> invariants() const override {
    std::vector<NamedText> list;
    const Cluster<F> nobody;
    const auto set = InvariantsOf<F>::all(nobody);
    for (const auto& monitor : set->monitors()) list.push_back(named(monitor->info()));
    return list;
  }
  std::vector<NamedText> stateInvariants() const override {
    std::vector<NamedText> list;
    for (const InvariantInfo& invariant : theCheck<F>().stateInvariants()) {
      list.push_back(named(invariant));
      list.back().text += HasRequested<F> ? " (checked by searches, and by scenarios that name it)"
                                          : " (checked only by searches)";
    }
    return list;
  }
  std::vector<TableFunction> functions() const override { return InvariantsOf<F>::functions(); }

 private:
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

  class Worker : public FuzzWorker {
   public:
    explicit Worker(const FuzzTarget& target) : target_(target) {
      if (!target.scenario) return;
      scenario_ = withOverrides(*target.scenario, target.overrides);
      scenario_.spec.expect.clear();  // only the invariants of a workload are judged
    }

    RunOutcome run(std::uint64_t seed) override {
      ++noted_.seeds;
      if (target_.scenario) {
        scenario_.spec.seed = seed;
        return Fuzz::run(scenario_, {.only = target_.invariants}, counter_, seed, nullptr, nullptr);
      }
      auto [run, outcome] = runSeed(target_, seed, counter_);
      notePlan(noted_, run);
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
    Counter counter_;
    FuzzStatistics noted_;
  };

  static DrawnRun drawn(const FuzzTarget& target, std::unique_ptr<ChoiceSource> source,
                        const std::set<ServerId>& unable) {
    Choices choices(std::move(source), [](ChoiceKind, std::uint8_t) { return std::string(); });
    choices.remember(false);
    DrawnRun run = Fuzz::draw(target.shape, choices, unable);
    Scenario& scenario = run.scenario;
    if (protocols().front()->name() != F::name) scenario.protocol = std::string(F::name);
    const Overrides& overrides = target.overrides;
    if (overrides.variant) scenario.variant = *overrides.variant;
    for (const auto& [rule, value] : overrides.rules) scenario.rules[rule] = value;
    scenario.mutations.insert(scenario.mutations.end(), overrides.mutations.begin(),
                              overrides.mutations.end());
    return run;
  }

  static Judgement judgementOf(const DrawnRun& run, const std::vector<std::string>& only) {
    return {run.faults_end_ms, run.core, run.probes, run.quiet_ms, only};
  }

  /// Draws a run and runs it. If a server of the core cannot start, the faults stop on another core instead,
  /// as long as there is a quorum of others: up to that point it is the same run.
  static std::pair<DrawnRun, RunOutcome> runDrawn(const FuzzTarget& target, const RunChoices& choices,
                                                  std::optional<std::uint64_t> seed, Counter& counter) {
    std::set<ServerId> unable;
    for (;;) {
      DrawnRun run = drawn(target, choices.drawing(), unable);
      run.scenario.seed = seed;
      const LoadedScenario scenario{run.scenario, {}};
      RunOutcome outcome = Fuzz::run(scenario, judgementOf(run, target.invariants), counter, seed.value_or(1),
                                     choices.running ? choices.running() : nullptr, nullptr);
      unable.insert(outcome.unable.begin(), outcome.unable.end());
      std::size_t able = 0;
      for (const ServerId voter : run.voters) able += unable.contains(voter) ? 0 : 1;
      if (outcome.unable.empty() || 2 * able <= run.voters.size())
        return {std::move(run), std::move(outcome)};
    }
  }

  static std::pair<DrawnRun, RunOutcome> runSeed(const FuzzTarget& target, std::uint64_t seed,
                                                 Counter& counter) {
    return runDrawn(target, {[seed] { return std::make_unique<SeededChoices>(seed); }, {}}, seed, counter);
  }

  static std::string aboutOf(const DrawnRun& run, const std::string& source) {
    return "Drawn from " + source + ". On: " + toText(run.on) + ". Faults end at " +
           std::to_string(run.faults_end_ms) + " ms.";
  }

  void checkInvariantNames(const JsonValue& place, const ExpectSpec& expect) const {
    if (expect.invariant) {
      std::vector<std::string> known;
      for (const NamedText& invariant : invariants()) known.push_back(invariant.name);
      if constexpr (HasRequested<F>) {
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

  /// `undecided`: why the run was too short to judge it; empty if it was not.
  static void addVerdict(Trace& trace, const Monitor<F>& monitor, const std::string& undecided,
                         std::optional<std::uint64_t> violated_at) {
    TraceVerdict verdict;
    verdict.name = std::string(monitor.info().name);
    verdict.kind = "invariant";
    verdict.verdict = monitor.violation()                                ? "violated"
                      : monitor.obligations() == 0 || !undecided.empty() ? "not exercised"
                                                                         : "held";
    verdict.obligations = monitor.obligations();
    verdict.text = withNames(trace, monitor.violation().value_or(undecided));
    verdict.event = violated_at;
    verdict.about = withNames(trace, monitor.violationAbout(), true);
    trace.header["invariants"].push_back(verdict.name);
    trace.verdicts.push_back(std::move(verdict));
  }

  /// The model with the list of all invariants except those that it would have to name.
  LoadedModel withUsualInvariants(LoadedModel model) const requires requires {
    InvariantsOf<F>::requested_in_models;
  }
  {
    const auto& rare = InvariantsOf<F>::requested_in_models;
    for (const auto& list : {invariants(), stateInvariants()}) {
      for (const NamedText& one : list) {
        if (std::find(rare.begin(), rare.end(), one.name) == rare.end())
          model.spec.invariants.push_back(one.name);
      }
    }
    return model;
  }

  static NamedText named(const InvariantInfo& invariant) {
    return {std::string(invariant.name), std::string(invariant.text)};
  }
  static std::vector<NamedText> named(const std::vector<std::pair<std::string, std::string>>& texts) {
    std::vector<NamedText> list;
    for (const auto& [name, text] : texts) list.push_back({name, text});
    return list;
  }
};

}  // namespace zablab
