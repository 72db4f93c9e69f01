// The failover: the elected sentinel chooses a replica, makes it the master, publishes the new configuration
// and makes the other servers its replicas. It takes at most one step of this per tick.
#pragma once

#include <vector>

#include "protocol/sentinel/context.h"

namespace zablab::sentinel {

/// One look at everything. `gap_ms`: the time since the last one, if it is known.
void onTick(const Context& ctx);
void onTickGap(const Context& ctx, std::optional<Millis> gap_ms);

/// The replicas that may be promoted, the best one first.
std::vector<Candidate> replicasToPromote(const Context& ctx);
/// A replica has reported its role and its master.
void onReplicaReport(const Context& ctx, ServerId id, const InfoReply& reply);
/// The state of the failover, or of the election, has lasted for too long.
void onFailoverTimer(const Context& ctx, TimerKind kind);

}  // namespace zablab::sentinel
