// The invariants of Leader and Followers: of its elections, its logs, and what clients are shown.
#pragma once

#include <memory>
#include <vector>

#include "checker/leader_followers/ledger.h"

namespace zablab::leader_followers {

/// All of them, reading this book.
std::unique_ptr<MonitorSet<Family>> monitorsWith(std::unique_ptr<Ledger> ledger);
/// With their own book.
std::unique_ptr<MonitorSet<Family>> allMonitors(const Cluster<Family>& cluster);

}  // namespace zablab::leader_followers
