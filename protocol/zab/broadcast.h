// ZAB's broadcast: the leader gives each request a zxid and proposes it; a proposal that a quorum has made
// durable is committed, in order.
#pragma once

#include "protocol/zab/context.h"

namespace zablab::zab {

// ---- the leader

/// The epoch is established: the leader serves, and so do those who acknowledged NEWLEADER.
void activate(const Context& in);
void sendUpToDate(const Context& in, ServerId learner);
/// A client's write becomes a proposal (Leader.propose).
void propose(const Context& in, const Txn& request);
/// An acknowledgement, the leader's own included (Leader.processAck).
void onAck(const Context& in, ServerId from, Zxid zxid);
/// An acknowledgement that came by an earlier connection of the learner.
void onLateAck(const Context& in, ServerId from, Zxid zxid);
/// A learner's client has asked something.
void onForwarded(const Context& in, ServerId from, const Forwarded& request);
/// A learner left a proposal unacknowledged for too long (LearnerHandler.SyncLimitCheck).
void onAckLimit(const Context& in, ServerId learner);

// ---- the learner

void onProposal(const Context& in, const Txn& txn);
void onCommit(const Context& in, Zxid zxid);
void onInform(const Context& in, const Txn& txn);
/// Applies the oldest proposal that waits for its commit.
void commitPending(const Context& in, Zxid zxid);

}  // namespace zablab::zab
