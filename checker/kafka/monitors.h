// The invariants of Kafka's controller.
#pragma once

#include <memory>
#include <vector>

#include "checker/kafka/ledger.h"
#include "checker/monitor.h"

namespace zablab::kafka {

/// All invariants, with this ledger.
std::vector<std::unique_ptr<Monitor<Family>>> monitors(Ledger& ledger);
/// With their own ledger, for a run.
std::unique_ptr<MonitorSet<Family>> allMonitors(const Cluster<Family>& cluster);
std::unique_ptr<MonitorSet<Family>> monitorsWith(std::unique_ptr<Ledger> ledger);

}  // namespace zablab::kafka
