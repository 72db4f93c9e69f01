// The families of protocols that there are, behind functions that name none.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "checker/fuzz/campaign.h"
#include "checker/tables.h"
#include "sim/run.h"
#include "sim/trace.h"

namespace zablab {

/// Checks what only a scenario's family can tell: rules, configuration, states, messages. Throws InputError.
void checkScenario(const LoadedScenario& scenario);

/// Runs the scenario with all invariants of its family watching; the trace has their verdicts.
Trace runWithMonitors(const LoadedScenario& scenario, const Until& until);

/// Runs the scenario without a trace, for measurements: how many actions were done, and what was violated.
struct BareOutcome {
  std::uint64_t actions = 0;
  std::uint64_t obligations = 0;
  std::vector<std::string> violated;
};
BareOutcome runBare(const LoadedScenario& scenario, bool monitored);

/// One thread's part of a fuzz campaign.
std::unique_ptr<FuzzWorker> fuzzWorker(const FuzzTarget& target);
/// What a seed of a campaign runs, and its knobs in words (in `about`).
Scenario fuzzScenario(const FuzzTarget& target, std::uint64_t seed);
/// Where the choices of one run come from: those that draw it, and those that it makes. Each call begins
/// anew.
struct RunChoices {
  using Source = std::function<std::unique_ptr<ChoiceSource>()>;
  Source drawing;
  Source running;
};
/// What a campaign does with a seed, with other choices. The scenario of a run that fails does the same
/// without their source: the choices that were not their default are pinned. It ends at a violation, and
/// expects the invariant to hold.
std::pair<Scenario, RunOutcome> runChosen(const FuzzTarget& target, const RunChoices& choices);
/// Runs a scenario bare. Beside the invariants, each client that an expectation wants an answer for has to
/// get one. `source`: as for ScenarioRun; `made`: gets every choice that was not its default; `only`: judged
/// by these invariants alone, where any are named.
RunOutcome judgeScenario(const Scenario& scenario, std::vector<Choice>* made = nullptr,
                         std::unique_ptr<ChoiceSource> source = nullptr,
                         const std::vector<std::string>& only = {});

/// The decisions that tables can ask for.
std::vector<TableFunction> allTableFunctions();

struct NamedText {
  std::string name;
  std::string text;
};
/// For lists. A rule's name is "name=value".
std::vector<NamedText> invariantList();
std::vector<NamedText> variantList();
std::vector<NamedText> ruleList();
std::vector<NamedText> mutationList();
std::vector<NamedText> functionList();

/// Who won each election of a trace, and why, a line each.
std::vector<std::string> tellElections(const Trace& trace);

}  // namespace zablab
