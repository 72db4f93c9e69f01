// ZAB's broadcast: the leader gives each request a zxid and proposes it; proposals that a quorum has made
// durable are committed, in order.
//
// Source: Leader.propose, processAck and tryToCommit. "Zab" (DSN 2011), phase 3, steps l.3.1 to f.3.2; l.3.3
// and l.3.4, a follower that joins an established epoch, are discovery and synchronization here.
#pragma once

#include "protocol/zab/context.h"

namespace zablab::zab {

// ---- the leader

/// The epoch is established: the leader serves, and so do the learners that acknowledged NEWLEADER.
void activate(const IsContext auto& ctx);
void sendUpToDate(const IsContext auto& ctx, ServerId learner);
/// What the service derives from the request becomes a proposal (Leader.propose).
template <class S>
void propose(const BasicContext<S>& ctx, const typename S::Proposed& proposed);
/// An acknowledgement, the leader's own included (Leader.processAck).
void onAck(const IsContext auto& ctx, ServerId from, Zxid zxid);
/// An acknowledgement that came through an earlier connection of the learner.
void onLateAck(const IsContext auto& ctx, ServerId from, Zxid zxid);
/// A message of the service came from a learner, possibly through an earlier connection.
void onServicePacket(const IsContext auto& ctx, ServerId from, const auto& message);
/// A learner left a proposal unacknowledged for too long (LearnerHandler.SyncLimitCheck).
void onAckLimit(const IsContext auto& ctx, ServerId learner);

// ---- the learner

void onProposal(const IsContext auto& ctx, const IsTxn auto& txn);
void onCommit(const IsContext auto& ctx, Zxid zxid);
void onInform(const IsContext auto& ctx, const IsTxn auto& txn);
/// Applies the oldest proposal that is waiting for its commit.
void commitPending(const IsContext auto& ctx, Zxid zxid);

}  // namespace zablab::zab
