// Replication: the leader puts entries into its log, each follower is sent what it lacks, one Append at a
// time, and entries that a quorum has made durable are committed.
#pragma once

#include "protocol/leader_followers/context.h"

namespace zablab::leader_followers {

/// A leader's first actions.
template <class S>
void beginLeading(const BasicContext<S>& ctx);
/// Puts an entry of the present generation at the end of the leader's log, and sends it to its followers.
template <class S>
void appendOwn(const BasicContext<S>& ctx, const BasicPayload<S>& payload);
/// Sends every follower the entries that it lacks and the reads that it has to confirm.
void replicate(const IsContext auto& ctx);

void onHeartbeat(const IsContext auto& ctx);
template <class S>
void onAppend(const BasicContext<S>& ctx, ServerId from, const BasicAppend<S>& append);
void onAppendResponse(const IsContext auto& ctx, ServerId from, const AppendResponse& response);
/// A connection to a follower is open; the follower may have lost what was sent to it before.
void appendAgain(const IsContext auto& ctx, ServerId follower);
/// There is no connection to the follower.
void onUnreachable(const IsContext auto& ctx, ServerId follower);
/// Nothing was received from a follower for a check-quorum time.
void onSilent(const IsContext auto& ctx, ServerId follower);

}  // namespace zablab::leader_followers
