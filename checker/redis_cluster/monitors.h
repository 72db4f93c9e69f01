// The invariants of a Redis Cluster. Not all of them are guaranteed under all rules: the rules serve to show
// that.
#pragma once

#include <memory>

#include "checker/monitor.h"
#include "checker/redis_cluster/ledger.h"

namespace zablab {
namespace redis_cluster {

/// All of them, reading this ledger.
std::unique_ptr<MonitorSet<Family>> monitorsWith(std::unique_ptr<Ledger> ledger);

}  // namespace redis_cluster

template <>
struct InvariantsOf<redis_cluster::Family>
    : InvariantsWith<redis_cluster::Family, redis_cluster::Ledger, &redis_cluster::monitorsWith> {};

}  // namespace zablab
