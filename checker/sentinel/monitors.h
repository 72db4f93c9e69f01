// The invariants of Sentinel. They do not promise that no acknowledged write is lost: replication is
// asynchronous, and what that costs is measured.
#pragma once

#include <memory>

#include "checker/monitor.h"
#include "checker/sentinel/ledger.h"

namespace zablab {
namespace sentinel {

/// Those that a search judges as well, reading this ledger.
std::unique_ptr<MonitorSet<Family>> monitorsWith(std::unique_ptr<Ledger> ledger);
/// All of them, of a run.
std::unique_ptr<MonitorSet<Family>> runMonitors(const Cluster<Family>& cluster);

}  // namespace sentinel

template <>
struct InvariantsOf<sentinel::Family> {
  static std::unique_ptr<MonitorSet<sentinel::Family>> all(const Cluster<sentinel::Family>& cluster) {
    return sentinel::runMonitors(cluster);
  }
};

}  // namespace zablab
