// The invariants of Kafka that only runs judge: what brokers answer, what replicas copy and commit, who is in
// sync, and what a controller reads, writes and tells.
#pragma once

#include <span>

#include "checker/kafka/records.h"

namespace zablab::kafka {

std::span<const zablab::Invariant<Records>> runInvariants();

}  // namespace zablab::kafka
