// The election of the sentinel that performs a failover: it asks the others whether they see the master down,
// and for their votes. A sentinel votes once in an epoch, for the first that asks. Votes are counted at
// ticks.
#pragma once

#include "protocol/sentinel/context.h"

namespace zablab::sentinel {

/// Begins an attempt, if the master is down and it may. True if it has.
bool startFailoverIfNeeded(const Context& ctx);
/// Asks the other sentinels while the master is down. `now`: also those that have answered recently.
void askOthers(const Context& ctx, bool now);
/// Its vote in this epoch: given now, or the one that it has given before.
Vote vote(const Context& ctx, ServerId candidate, std::int64_t epoch);
/// One round of counting; whether this sentinel is elected.
bool isElected(const Context& ctx);
/// It may not start a failover for a time, and the attempt that it has begun lasts from now on.
void postpone(const Context& ctx);

void onIsMasterDown(const Context& ctx, ServerId from, const IsMasterDown& request);
void onIsMasterDownReply(const Context& ctx, ServerId from, const IsMasterDownReply& reply);

}  // namespace zablab::sentinel
