#include "checker/families.h"

#include "checker/invariants/zab/recovery.h"
#include "checker/monitor.h"
#include "checker/zab/tables.h"
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
  // The index that the event which broke it has in the trace.
  std::vector<std::optional<std::uint64_t>> violated_at(monitors.size());
  set->on_violation = [&](std::size_t i) { violated_at[i] = run.eventsSoFar(); };
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

void checkProtocol(const LoadedScenario& scenario) {
  if (scenario.spec.protocol == zab::Family::name) return;
  throw scenario.document.keyError("protocol", "there is no protocol " + inBackticks(scenario.spec.protocol),
                                   "protocols are: zab");
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
}

Trace runWithMonitors(const LoadedScenario& scenario, const Until& until) {
  checkProtocol(scenario);
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
