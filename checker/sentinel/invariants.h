// The invariants of Sentinel, for the engines.
#pragma once

#include <memory>
#include <vector>

#include "checker/family.h"
#include "checker/sentinel/monitors.h"

namespace zablab {

template <>
struct InvariantsOf<sentinel::Family> {
  static std::unique_ptr<MonitorSet<sentinel::Family>> all(const Cluster<sentinel::Family>& cluster) {
    return sentinel::allMonitors(cluster);
  }
  static std::vector<TableFunction> functions() { return {}; }
};

}  // namespace zablab
