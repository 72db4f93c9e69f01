// The family `zookeeper`'s invariants, and its decisions, for the engines.
#pragma once

#include <memory>
#include <vector>

#include "checker/conformance.h"
#include "checker/family.h"
#include "checker/zab/monitors.h"
#include "checker/zookeeper/ledger.h"

namespace zablab {

namespace zab {
extern template std::unique_ptr<MonitorSet<zookeeper::Family>> monitorsWith(
    std::unique_ptr<BasicLedger<zookeeper::Family>> ledger);
}  // namespace zab

template <>
struct InvariantsOf<zookeeper::Family> {
  static std::unique_ptr<MonitorSet<zookeeper::Family>> all(const Cluster<zookeeper::Family>& cluster) {
    return zab::monitorsWith(std::make_unique<zookeeper::Ledger>(cluster));
  }
  static std::vector<TableFunction> functions();
  static std::vector<RecordingKind> recordingKinds();
};

}  // namespace zablab
