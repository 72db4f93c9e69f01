// The invariants of Leader and Followers: of its elections, its logs, and what clients are shown.
#pragma once

#include <memory>
#include <vector>

#include "checker/leader_followers/ledger.h"
#include "checker/leader_followers/tables.h"
#include "checker/monitor.h"

namespace zablab {
namespace leader_followers {

/// Those that a search judges as well, reading this ledger.
std::unique_ptr<MonitorSet<Family>> monitorsWith(std::unique_ptr<Ledger> ledger);
/// All of them, of a run.
std::unique_ptr<MonitorSet<Family>> runMonitors(const Cluster<Family>& cluster);

}  // namespace leader_followers

template <>
struct InvariantsOf<leader_followers::Family> {
  static std::unique_ptr<MonitorSet<leader_followers::Family>> all(
      const Cluster<leader_followers::Family>& cluster) {
    return leader_followers::runMonitors(cluster);
  }
  static std::vector<TableFunction> functions() { return leader_followers::tableFunctions(); }
};

}  // namespace zablab
