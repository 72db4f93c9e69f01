// A random run of the family `zookeeper`, drawn as a scenario: the ensemble (checker/zab/swarm_impl.h),
// clients with sessions and watches, the faults. Then faults stop on a core that is a quorum of voters, and
// the core has to serve.
#pragma once

#include <set>

#include "checker/fuzz/drawn.h"
#include "sim/choices.h"

namespace zablab::zookeeper {

/// By then all clients have been instructed to connect, those that connect late as well.
inline constexpr Millis late_connections_end_ms = 36'000;

/// The result is the same for the same choices and shape, regardless of the rules it is run with. Servers of
/// `unable` are not chosen for the core: the others must contain a quorum of the voters.
DrawnRun drawRun(const FuzzShape& shape, Choices& choices, const std::set<ServerId>& unable = {});

}  // namespace zablab::zookeeper
