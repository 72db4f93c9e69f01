// What must be true of recovery and broadcast: committed is never lost, uncommitted is never visible, and
// what these two stand on.
#pragma once

#include <memory>
#include <vector>

#include "checker/monitor.h"
#include "checker/zab/ledger.h"

namespace zablab::zab {

/// All invariants of recovery and broadcast. They read `ledger`, which hears of everything before they do.
std::vector<std::unique_ptr<Monitor<Family>>> recoveryMonitors(Ledger& ledger);

/// All invariants of the ZAB family, those of elections included, with the book that they read.
std::unique_ptr<MonitorSet<Family>> allMonitors(const Cluster<Family>& cluster);
std::unique_ptr<MonitorSet<Family>> monitorsWith(std::unique_ptr<Ledger> ledger);

}  // namespace zablab::zab
