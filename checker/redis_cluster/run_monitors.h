// The invariants of Redis Cluster that only runs judge: what nodes answer, copy and tell, who reports a
// failure, and how long everybody waits.
#pragma once

#include <span>

#include "checker/redis_cluster/records.h"

namespace zablab::redis_cluster {

std::span<const zablab::Invariant<Records>> runInvariants();

}  // namespace zablab::redis_cluster
