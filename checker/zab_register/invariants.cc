#include "checker/zab_register/invariants.h"

#include "checker/zab/monitors_impl.h"
#include "checker/zab/recording_kinds.h"
#include "checker/zab/tables.h"
#include "sim/zab_register/binding.h"

namespace zablab {

namespace zab {
template std::unique_ptr<MonitorSet<Family>> monitorsWith(std::unique_ptr<BasicLedger<Family>> ledger);
template std::vector<std::unique_ptr<Monitor<Family>>> electionMonitors(BasicLedger<Family>& ledger);
}  // namespace zab

std::vector<TableFunction> InvariantsOf<zab::Family>::functions() {
  return zab::tableFunctions<zab::Family>();
}
std::vector<RecordingKind> InvariantsOf<zab::Family>::recordingKinds() {
  return zab::recordingKinds([](const Scenario& rules) { return Binding<zab::Family>::rules(rules, {}); });
}

}  // namespace zablab
