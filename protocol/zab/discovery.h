// ZAB's discovery: a prospective leader and a quorum agree on a new epoch, which none of them has accepted
// before, and the leader makes sure that no server among them has a newer history than its own.
//
// Source: Learner.registerWithLeader, Leader.getEpochToPropose and waitForEpochAck. Junqueira, Reed,
// Serafini, "Zab: High-performance broadcast for primary-backup systems" (DSN 2011), phase 1, steps f.1.1 to
// l.1.2: there the leader takes the newest history of a quorum (l.1.2); ZooKeeper's election already has
// chosen its owner.
#pragma once

#include "protocol/zab/context.h"

namespace zablab::zab {

// ---- the leader

/// Whether a new leader keeps a transaction that no server it has heard from knows to be committed: `holders`
/// are the servers among them that have it, the leader included; the voters in `unheard` may have it.
bool keepsTail(const Config& config, const BroadcastRules& rules, const std::vector<ServerId>& holders,
               const std::vector<ServerId>& unheard);

/// Enters the role (Leader.lead).
void beginLeading(const IsContext auto& ctx);
/// FOLLOWERINFO or OBSERVERINFO: `accepted` is the last epoch that the learner promised.
void onLearnerInfo(const IsContext auto& ctx, ServerId from, bool observer, std::int64_t accepted);
void onAckEpoch(const IsContext auto& ctx, ServerId from, const AckEpoch& ack);
/// A connected learner is gone: those that remain may be enough.
void recountPromises(const IsContext auto& ctx);
/// Discovery or synchronization took too long.
void onInitLimit(const IsContext auto& ctx);

// ---- the learner

/// Enters the role: dials the leader (Learner.connectToLeader).
void beginLearning(const IsContext auto& ctx);
void onLeaderConnected(const IsContext auto& ctx);
void onLeaderRefused(const IsContext auto& ctx);
void onConnectRetry(const IsContext auto& ctx);
void onLeaderInfo(const IsContext auto& ctx, const LeaderInfo& info);

}  // namespace zablab::zab
