// The invariants of a Redis Cluster. Not all of them are guaranteed under all rules: the rules serve to show
// that.
#pragma once

#include <memory>

#include "checker/monitor.h"
#include "checker/redis_cluster/ledger.h"

namespace zablab {
namespace redis_cluster {

/// Those that a search judges as well, reading this ledger.
std::unique_ptr<MonitorSet<Family>> monitorsWith(std::unique_ptr<Ledger> ledger);
/// All of them, of a run.
std::unique_ptr<MonitorSet<Family>> runMonitors(const Cluster<Family>& cluster);

}  // namespace redis_cluster

template <>
struct InvariantsOf<redis_cluster::Family> {
  static std::unique_ptr<MonitorSet<redis_cluster::Family>> all(
      const Cluster<redis_cluster::Family>& cluster) {
    return redis_cluster::runMonitors(cluster);
  }
};

}  // namespace zablab
