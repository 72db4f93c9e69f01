// The invariants of an election on an external store, for the engines.
#pragma once

#include <memory>
#include <vector>

#include "checker/external_store/monitors.h"
#include "checker/family.h"

namespace zablab {

template <>
struct InvariantsOf<external_store::Family> {
  static std::unique_ptr<MonitorSet<external_store::Family>> all(
      const Cluster<external_store::Family>& cluster) {
    return external_store::allMonitors(cluster);
  }
  static std::vector<TableFunction> functions() { return {}; }
};

}  // namespace zablab
