// The invariants of a Redis Cluster. Not all of them are guaranteed under all rules: the rules serve to show
// that.
#pragma once

#include <memory>
#include <vector>

#include "checker/monitor.h"
#include "checker/redis_cluster/ledger.h"

namespace zablab::redis_cluster {

/// All invariants, with this book.
std::vector<std::unique_ptr<Monitor<Family>>> monitors(Ledger& ledger);
/// With their own book, for a run.
std::unique_ptr<MonitorSet<Family>> allMonitors(const Cluster<Family>& cluster);
std::unique_ptr<MonitorSet<Family>> monitorsWith(std::unique_ptr<Ledger> ledger);

}  // namespace zablab::redis_cluster
