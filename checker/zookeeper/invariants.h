// The family `zookeeper`'s invariants, for the engines. Its decisions are those of the family `zab`, where
// tables test them.
#pragma once

#include <array>
#include <memory>
#include <string_view>
#include <vector>

#include "checker/conformance.h"
#include "checker/family.h"
#include "checker/zab/monitors.h"
#include "checker/zookeeper/ledger.h"
#include "checker/zookeeper/one_believer.h"
#include "checker/zookeeper/requested.h"

namespace zablab {

namespace zab {
extern template std::unique_ptr<MonitorSet<zookeeper::Family>> monitorsWith(
    std::unique_ptr<BasicLedger<zookeeper::Family>> ledger);
}  // namespace zab

namespace zookeeper {
/// Those of a run that are about clients, without those of the broadcast below.
std::unique_ptr<MonitorSet<Family>> clientMonitors(const Cluster<Family>& cluster);
}  // namespace zookeeper

template <>
struct InvariantsOf<zookeeper::Family> {
  static std::unique_ptr<MonitorSet<zookeeper::Family>> all(const Cluster<zookeeper::Family>& cluster);
  /// Those that the states of a run show.
  static std::unique_ptr<Monitor<zookeeper::Family>> requested(RunOf<zookeeper::Family>& run,
                                                               std::string_view name) {
    return zookeeper::requestedOf(run, name);
  }
  static std::vector<RecordingKind> recordingKinds();
};

}  // namespace zablab
