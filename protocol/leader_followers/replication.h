// Replication: the leader puts entries into its log, each follower is sent what it lacks, one Append at a
// time, and entries that a quorum has made durable are committed.
#pragma once

#include "protocol/leader_followers/context.h"

namespace zablab::leader_followers {

/// A leader's first actions.
void beginLeading(const Context& ctx);
/// Puts an entry of the present generation at the end of the leader's log, and sends it to its followers.
void appendOwn(const Context& ctx, const Payload& payload);
/// Sends every follower the entries that it lacks and the reads that it has to confirm.
void replicate(const Context& ctx);

void onHeartbeat(const Context& ctx);
void onAppend(const Context& ctx, ServerId from, const Append& append);
void onAppendResponse(const Context& ctx, ServerId from, const AppendResponse& response);
/// A connection to a follower is open; the follower may have lost what was sent to it before.
void appendAgain(const Context& ctx, ServerId follower);
/// There is no connection to the follower.
void onUnreachable(const Context& ctx, ServerId follower);
/// Nothing was received from a follower for a check-quorum time.
void onSilent(const Context& ctx, ServerId follower);

}  // namespace zablab::leader_followers
