// ZAB's synchronization: a leader makes each learner's history agree with its own, and the epoch is
// established when a quorum has made that history durable.
//
// Source: LearnerHandler.syncFollower, Learner.syncWithLeader. "Zab" (DSN 2011), phase 2, steps l.2.1 to
// f.2.2: there NEWLEADER carries the whole history; ZooKeeper sends what the learner lacks before it.
#pragma once

#include <span>

#include "protocol/zab/context.h"

namespace zablab::zab {

/// What a leader knows of its own history when it synchronizes a learner.
template <class S>
struct BasicSyncSource {
  Zxid last;  ///< last processed
  std::span<const BasicTxn<S>> committed_log;
  const BasicDurable<S>& files;
  bool from_the_start = false;  ///< the committed log is the whole history
};

/// How a learner is synchronized: one packet, then committed transactions.
template <class S>
struct BasicSyncPlan {
  SyncMode mode = SyncMode::SNAP;
  Zxid to;       ///< the zxid that DIFF or TRUNC announces
  Txns<S> txns;  ///< each is sent as PROPOSAL and COMMIT
  Zxid covered;  ///< the learner has everything up to here after these
  SyncReason reason{};
};

/// The decision table for a learner whose history ends at `learner` (LearnerHandler.syncFollower).
/// `committed`: the part of it that it knows to be committed, if the rules require it to report that.
template <class S>
BasicSyncPlan<S> planSync(const Config& config, const BroadcastRules& rules, const BasicSyncSource<S>& source,
                          Zxid learner, std::optional<Zxid> committed = std::nullopt);

// ---- the leader

/// Sends the learner what it lacks, and NEWLEADER, immediately or later; from this call on it gets every
/// proposal.
void synchronize(const IsContext auto& ctx, ServerId learner);
void sendNewLeader(const IsContext auto& ctx, ServerId learner);
/// The learner's first acknowledgement after NEWLEADER.
void onNewLeaderAck(const IsContext auto& ctx, ServerId from, Zxid zxid);
/// Counts a voter that made the history durable; with a quorum the epoch is established.
void countNewLeaderAck(const IsContext auto& ctx, ServerId id);

// ---- the learner

void onDiff(const IsContext auto& ctx, const Diff& diff);
void onTrunc(const IsContext auto& ctx, const Trunc& trunc);
void onSnap(const IsContext auto& ctx, const auto& snap);
/// PROPOSAL, COMMIT and INFORM before UPTODATE.
void onSyncProposal(const IsContext auto& ctx, const IsTxn auto& txn);
void onSyncCommit(const IsContext auto& ctx, Zxid zxid);
void onSyncInform(const IsContext auto& ctx, const IsTxn auto& txn);
void onNewLeader(const IsContext auto& ctx, const NewLeader& packet);
void onUpToDate(const IsContext auto& ctx);
/// The role ends: the changes of an unfinished synchronization in memory are undone.
void abandonSync(const IsContext auto& ctx);

}  // namespace zablab::zab
