#include "checker/families.h"

#include "checker/invariants/zab/election.h"
#include "checker/monitor.h"
#include "checker/zab/tables.h"
#include "sim/zab/binding.h"
#include "sim/zab/narrative.h"

namespace zablab {
namespace {

/// Notes at which event a monitor first found its invariant violated.
template <class F>
class Watch : public Listener<F> {
 public:
  Watch(std::vector<std::unique_ptr<Monitor<F>>> monitors)
      : monitors_(std::move(monitors)), at_(monitors_.size()) {}

  void on(const Happened<F>& happened) override {
    for (std::size_t i = 0; i < monitors_.size(); ++i) {
      const bool violated_before = monitors_[i]->violation().has_value();
      monitors_[i]->on(happened);
      if (!violated_before && monitors_[i]->violation() && next_event) at_[i] = next_event();
    }
  }
  std::vector<TraceVerdict> verdicts() const {
    std::vector<TraceVerdict> verdicts;
    for (std::size_t i = 0; i < monitors_.size(); ++i) {
      const auto& monitor = *monitors_[i];
      TraceVerdict verdict;
      verdict.name = std::string(monitor.info().name);
      verdict.kind = "invariant";
      verdict.verdict = monitor.violation()          ? "violated"
                        : monitor.obligations() == 0 ? "not exercised"
                                                     : "held";
      verdict.obligations = monitor.obligations();
      verdict.text = monitor.violation().value_or("");
      verdict.event = at_[i];
      verdicts.push_back(std::move(verdict));
    }
    return verdicts;
  }
  /// The index that the event being told of will have in the trace.
  std::function<std::uint64_t()> next_event;

 private:
  std::vector<std::unique_ptr<Monitor<F>>> monitors_;
  std::vector<std::optional<std::uint64_t>> at_;
};

template <class F>
Trace run(const LoadedScenario& scenario, const Until& until,
          std::vector<std::unique_ptr<Monitor<F>>> (*monitors)(const Cluster<F>&)) {
  ScenarioRun<F> run(scenario, makeSetup<F>(scenario), until);
  Watch<F> watch(monitors(run.cluster()));
  watch.next_event = [&run] { return run.eventsSoFar(); };
  run.watch(watch);
  Trace trace = run.execute();
  trace.verdicts = watch.verdicts();
  for (const TraceVerdict& verdict : trace.verdicts) trace.header["invariants"].push_back(verdict.name);
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
  return run<zab::Family>(scenario, until, &zab::electionMonitors);
}

std::vector<TableFunction> allTableFunctions() { return zab::tableFunctions(); }

std::vector<NamedText> invariantList() {
  std::vector<NamedText> list;
  for (const auto& monitor : zab::electionMonitors({})) {
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
