// ZAB's discovery: a would-be leader and a quorum agree on a new epoch, which none of them has accepted
// before, and the leader makes sure that nobody among them has a newer history than it has itself.
#pragma once

#include "protocol/zab/context.h"

namespace zablab::zab {

// ---- the leader

/// Enters the role (Leader.lead).
void beginLeading(const Context& in);
/// FOLLOWERINFO or OBSERVERINFO: `accepted` is the last epoch that the learner promised.
void onLearnerInfo(const Context& in, ServerId from, bool observer, std::int64_t accepted);
void onAckEpoch(const Context& in, ServerId from, const AckEpoch& ack);
/// Who was connected has gone: those who are left may be enough.
void recountPromises(const Context& in);
/// Discovery or synchronization took too long.
void onInitLimit(const Context& in);

// ---- the learner

/// Enters the role: dials the leader (Learner.connectToLeader).
void beginLearning(const Context& in);
void onLeaderConnected(const Context& in);
void onLeaderRefused(const Context& in);
void onConnectRetry(const Context& in);
void onLeaderInfo(const Context& in, const LeaderInfo& info);

}  // namespace zablab::zab
