// The invariants of Redis Clusters, for the engines.
#pragma once

#include <memory>
#include <vector>

#include "checker/family.h"
#include "checker/redis_cluster/monitors.h"

namespace zablab {

template <>
struct InvariantsOf<redis_cluster::Family> {
  static std::unique_ptr<MonitorSet<redis_cluster::Family>> all(
      const Cluster<redis_cluster::Family>& cluster) {
    return redis_cluster::allMonitors(cluster);
  }
  static std::vector<TableFunction> functions() { return {}; }
};

}  // namespace zablab
