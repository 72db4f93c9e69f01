// The invariants of Kafka's controller that only runs judge: what brokers ask ZooKeeper for, and what the
// controller reads, writes and tells.
#pragma once

#include <span>

#include "checker/kafka/records.h"

namespace zablab::kafka {

std::span<const zablab::Invariant<Records>> controllerInvariants();

}  // namespace zablab::kafka
