// The invariants of Kafka's controller.
#pragma once

#include <memory>

#include "checker/kafka/ledger.h"
#include "checker/monitor.h"

namespace zablab {
namespace kafka {

/// All of them, reading this ledger.
std::unique_ptr<MonitorSet<Family>> monitorsWith(std::unique_ptr<Ledger> ledger);

}  // namespace kafka

template <>
struct InvariantsOf<kafka::Family> : InvariantsWith<kafka::Family, kafka::Ledger, &kafka::monitorsWith> {};

}  // namespace zablab
