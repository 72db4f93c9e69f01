// The invariants of Sentinel. They do not promise that no acknowledged write is lost: replication is
// asynchronous, and what that costs is measured.
#pragma once

#include <memory>
#include <vector>

#include "checker/monitor.h"
#include "checker/sentinel/ledger.h"

namespace zablab::sentinel {

/// All invariants, with this book.
std::vector<std::unique_ptr<Monitor<Family>>> monitors(Ledger& ledger);
/// With their own book, for a run.
std::unique_ptr<MonitorSet<Family>> allMonitors(const Cluster<Family>& cluster);
std::unique_ptr<MonitorSet<Family>> monitorsWith(std::unique_ptr<Ledger> ledger);

}  // namespace zablab::sentinel
