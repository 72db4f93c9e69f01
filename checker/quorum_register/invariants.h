// The invariants of quorum registers, for the engines.
#pragma once

#include <memory>
#include <vector>

#include "checker/family.h"
#include "checker/quorum_register/monitors.h"

namespace zablab {

template <>
struct InvariantsOf<quorum_register::Family> {
  static std::unique_ptr<MonitorSet<quorum_register::Family>> all(
      const Cluster<quorum_register::Family>& cluster) {
    return quorum_register::allMonitors(cluster);
  }
  static std::vector<TableFunction> functions() { return {}; }
};

}  // namespace zablab
