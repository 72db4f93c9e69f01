#include "checker/zookeeper/invariants.h"

#include "checker/zab/monitors_impl.h"
#include "checker/zookeeper/conform.h"
#include "sim/zookeeper/binding.h"

namespace zablab {

namespace zab {
template std::unique_ptr<MonitorSet<zookeeper::Family>> monitorsWith(
    std::unique_ptr<BasicLedger<zookeeper::Family>> ledger);
template std::vector<std::unique_ptr<Monitor<zookeeper::Family>>> electionMonitors(
    BasicLedger<zookeeper::Family>& ledger);
}  // namespace zab

std::vector<RecordingKind> InvariantsOf<zookeeper::Family>::recordingKinds() {
  return {{"client", [](const Scenario& rules) {
             return zookeeper::judgeClients(Binding<zookeeper::Family>::rules(rules, {}));
           }}};
}

}  // namespace zablab
