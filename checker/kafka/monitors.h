// The invariants of Kafka's controller and of the partition's replicas.
#pragma once

#include <memory>

#include "checker/kafka/ledger.h"
#include "checker/monitor.h"

namespace zablab {
namespace kafka {

/// Those that a search judges as well, reading this ledger.
std::unique_ptr<MonitorSet<Family>> monitorsWith(std::unique_ptr<Ledger> ledger);
/// All of them, of a run.
std::unique_ptr<MonitorSet<Family>> runMonitors(const Cluster<Family>& cluster);

}  // namespace kafka

template <>
struct InvariantsOf<kafka::Family> {
  static std::unique_ptr<MonitorSet<kafka::Family>> all(const Cluster<kafka::Family>& cluster) {
    return kafka::runMonitors(cluster);
  }
};

}  // namespace zablab
