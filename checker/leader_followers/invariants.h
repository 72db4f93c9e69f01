// The invariants of Leader and Followers, for the engines.
#pragma once

#include <memory>
#include <vector>

#include "checker/family.h"
#include "checker/leader_followers/monitors.h"
#include "checker/leader_followers/tables.h"

namespace zablab {

template <>
struct InvariantsOf<leader_followers::Family> {
  static std::unique_ptr<MonitorSet<leader_followers::Family>> all(
      const Cluster<leader_followers::Family>& cluster) {
    return leader_followers::allMonitors(cluster);
  }
  static std::vector<TableFunction> functions() { return leader_followers::tableFunctions(); }
};

}  // namespace zablab
