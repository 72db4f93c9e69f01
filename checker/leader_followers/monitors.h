// The invariants of Leader and Followers: of its elections, its logs, and what clients are shown.
#pragma once

#include <memory>
#include <vector>

#include "checker/leader_followers/ledger.h"
#include "checker/leader_followers/tables.h"
#include "checker/monitor.h"

namespace zablab {
namespace leader_followers {

/// All of them, reading this ledger.
std::unique_ptr<MonitorSet<Family>> monitorsWith(std::unique_ptr<Ledger> ledger);

}  // namespace leader_followers

template <>
struct InvariantsOf<leader_followers::Family>
    : InvariantsWith<leader_followers::Family, leader_followers::Ledger, &leader_followers::monitorsWith> {
  static std::vector<TableFunction> functions() { return leader_followers::tableFunctions(); }
};

}  // namespace zablab
