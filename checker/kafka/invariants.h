// The invariants of Kafka, for the engines.
#pragma once

#include <memory>
#include <vector>

#include "checker/family.h"
#include "checker/kafka/monitors.h"

namespace zablab {

template <>
struct InvariantsOf<kafka::Family> {
  static std::unique_ptr<MonitorSet<kafka::Family>> all(const Cluster<kafka::Family>& cluster) {
    return kafka::allMonitors(cluster);
  }
  static std::vector<TableFunction> functions() { return {}; }
};

}  // namespace zablab
