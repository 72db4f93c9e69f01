// ZAB's synchronization: a leader brings each learner's history into line with its own, and the epoch is
// established when a quorum has made that history durable.
#pragma once

#include <span>

#include "protocol/zab/context.h"

namespace zablab::zab {

/// What a leader knows of its own history when it synchronizes a learner.
struct SyncSource {
  Zxid last;  ///< last processed
  std::span<const Txn> committed_log;
  const Durable& files;
  bool from_the_start = false;  ///< the committed log is the whole history
};

/// How a learner is brought into line: one packet, then committed transactions.
struct SyncPlan {
  SyncMode mode = SyncMode::SNAP;
  Zxid to;                ///< what DIFF or TRUNC announces
  std::vector<Txn> txns;  ///< each goes as PROPOSAL and COMMIT
  Zxid covered;           ///< the learner has everything up to here when they are done
  SyncReason reason{};
};

/// The decision table for a learner whose history ends at `learner` (LearnerHandler.syncFollower).
/// `committed`: what it knows of it to be committed, where the rules have it tell.
SyncPlan planSync(const Config& config, const Rules& rules, const SyncSource& source, Zxid learner,
                  std::optional<Zxid> committed = std::nullopt);

// ---- the leader

/// Sends the learner what it lacks, and NEWLEADER, at once or later; from here on it gets every proposal.
void synchronize(const Context& in, ServerId learner);
void sendNewLeader(const Context& in, ServerId learner);
/// The learner's first acknowledgement after NEWLEADER.
void onNewLeaderAck(const Context& in, ServerId from, Zxid zxid);
/// Counts a voter that made the history durable; with a quorum the epoch is established.
void countNewLeaderAck(const Context& in, ServerId id);

// ---- the learner

void onDiff(const Context& in, const Diff& diff);
void onTrunc(const Context& in, const Trunc& trunc);
void onSnap(const Context& in, const Snap& snap);
/// PROPOSAL, COMMIT and INFORM before UPTODATE.
void onSyncProposal(const Context& in, const Txn& txn);
void onSyncCommit(const Context& in, Zxid zxid);
void onSyncInform(const Context& in, const Txn& txn);
void onNewLeader(const Context& in, const NewLeader& packet);
void onUpToDate(const Context& in);
/// The role ends: what an unfinished synchronization did to memory is undone.
void abandonSync(const Context& in);

}  // namespace zablab::zab
