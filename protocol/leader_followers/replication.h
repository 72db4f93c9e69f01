// Replication: the leader puts entries into its log, each follower gets what it lacks, one Append at a time,
// and what a quorum has made durable is committed.
#pragma once

#include "protocol/leader_followers/context.h"

namespace zablab::leader_followers {

/// A leader's first acts.
void beginLeading(const Context& ctx);
/// Puts an entry of the present generation at the end of the leader's log, and tells its followers.
void appendOwn(const Context& ctx, const Payload& payload);
/// Gives every follower the entries that it lacks and the reads that it has to confirm.
void replicate(const Context& ctx);

void onHeartbeat(const Context& ctx);
void onAppend(const Context& ctx, ServerId from, const Append& append);
void onAppendResponse(const Context& ctx, ServerId from, const AppendResponse& response);
/// A connection to a follower is open, which may have lost what it was sent before.
void appendAgain(const Context& ctx, ServerId follower);
/// There is none.
void onUnreachable(const Context& ctx, ServerId follower);
/// A follower was not heard for a check-quorum time.
void onSilent(const Context& ctx, ServerId follower);

}  // namespace zablab::leader_followers
