#pragma once

#include "protocol/zab/broadcast.h"

#include <algorithm>
#include <limits>

#include "protocol/zab/liveness.h"
#include "protocol/zab/log.h"
#include "protocol/zab/quorum.h"
#include "protocol/zab/roles.h"
#include "protocol/zab/synchronization.h"

namespace zablab::zab {

inline constexpr std::int64_t counter_max = 0xffffffff;

/// Learners that get proposals: those whose synchronization has begun, even if NEWLEADER is still to be sent.
inline bool isForwarded(const Learner& learner) { return learner.stage >= LearnerStage::syncing; }

/// The time for an acknowledgement runs for one proposal at a time, and then for the newest one after it.
void timeAck(const IsContext auto& ctx, ServerId id, Learner& learner, Zxid zxid) {
  if (learner.stage < LearnerStage::synced) return;
  if (learner.awaited) {
    learner.latest = zxid;
    return;
  }
  learner.awaited = zxid;
  ctx.setTimer(TimerKind::ack_limit, ctx.config.sync_limit * ctx.config.tick_ms, id);
}

void noteAck(const IsContext auto& ctx, ServerId id, Zxid zxid) {
  const auto found = ctx.node.learners.find(id);
  if (found == ctx.node.learners.end()) return;
  Learner& learner = found->second;
  if (learner.latest == zxid) learner.latest.reset();
  if (learner.awaited != zxid) return;
  learner.awaited = std::exchange(learner.latest, std::nullopt);
  if (learner.awaited) {
    ctx.setTimer(TimerKind::ack_limit, ctx.config.sync_limit * ctx.config.tick_ms, id);
  } else {
    ctx.cancelTimer(TimerKind::ack_limit, id);
  }
}

void commit(const IsContext auto& ctx, std::size_t position) {
  auto& node = ctx.node;
  const auto proposal = node.outstanding_proposals[position];
  const Zxid zxid = proposal.txn.zxid;
  node.outstanding_proposals.erase(node.outstanding_proposals.begin() +
                                   static_cast<std::ptrdiff_t>(position));
  node.last_committed = zxid;
  ctx.emit(Committed{zxid, {proposal.acks.begin(), proposal.acks.end()}});
  for (const auto& [id, learner] : node.learners) {
    if (!isForwarded(learner)) continue;
    if (learner.observer) {
      ctx.send(learner_link, id, BasicInform{proposal.txn});
    } else {
      ctx.send(learner_link, id, Commit{zxid});
    }
  }
  apply(ctx, proposal.txn, AppliedBecause::committed);
  ServiceOf<decltype(ctx)>::onCommitted(ctx, zxid);
}

bool mayCommit(const IsContext auto& ctx, std::size_t position) {
  const auto& acks = ctx.node.outstanding_proposals[position].acks;
  switch (ctx.rules.commit_when) {
    case CommitWhen::first_ack: return position == 0;
    case CommitWhen::quorum_in_order:
      if (position > 0) return false;
      [[fallthrough]];
    case CommitWhen::quorum_any_order:
      return isQuorum(ctx.config, ctx.rules, std::vector<ServerId>(acks.begin(), acks.end()));
  }
  return false;
}

/// Counts the acknowledgement for its proposal, which is committed if it now may be (Leader.processAck).
void countAck(const IsContext auto& ctx, ServerId from, Zxid zxid) {
  auto& node = ctx.node;
  if (node.log_failed) return;
  const auto at = std::find_if(node.outstanding_proposals.begin(), node.outstanding_proposals.end(),
                               [zxid](const auto& proposal) { return proposal.txn.zxid == zxid; });
  if (at == node.outstanding_proposals.end() || !ctx.config.isVoter(from)) return;
  at->acks.insert(from);
  const auto position = static_cast<std::size_t>(at - node.outstanding_proposals.begin());
  if (mayCommit(ctx, position)) commit(ctx, position);
}

void activate(const IsContext auto& ctx) {
  auto& node = ctx.node;
  const Zxid start = Zxid::of(node.epoch, 0);
  ctx.emit(
      Established{node.epoch, node.last_processed, {node.newleader_acks.begin(), node.newleader_acks.end()}});
  ctx.cancelTimer(TimerKind::init_limit);
  node.last_committed = start;
  node.last_processed = start;
  node.current_vote.peer_epoch = node.epoch;
  knowCommitted(ctx);
  enterPhase(ctx, Phase::broadcast);
  const auto ready =
      ctx.rules.serve_after == ServeAfter::own_ack ? LearnerStage::synced : LearnerStage::syncing;
  for (const auto& [id, learner] : node.learners) {
    if (learner.stage >= ready) sendUpToDate(ctx, id);
  }
  ServiceOf<decltype(ctx)>::onServes(ctx);
}

void sendUpToDate(const IsContext auto& ctx, ServerId id) {
  ctx.node.learners.at(id).stage = LearnerStage::up_to_date;
  ctx.send(learner_link, id, UpToDate{});
}

template <class S>
void propose(const BasicContext<S>& ctx, const typename S::Proposed& proposed) {
  auto& node = ctx.node;
  if (node.last_proposed.counter() == counter_max - 1 && ctx.rules.rollover == Rollover::step_down &&
      !ctx.config.standalone) {
    return becomeLooking(ctx, RoleReason::counter_used_up);
  }
  if (node.last_proposed.value == std::numeric_limits<std::int64_t>::max())  // there is no zxid after it
    return becomeLooking(ctx, RoleReason::counter_used_up);
  const auto payload = S::prepare(ctx.rules, node.service, node.outstanding_proposals, proposed);
  if (!payload) return;
  node.last_proposed = {node.last_proposed.value + 1};
  const BasicTxn<S> txn{node.last_proposed, *payload};
  node.outstanding_proposals.push_back({txn, {}});
  if (ctx.rules.leader_log == LeaderLog::first) {
    append(ctx, txn);
    ctx.flush();
  }
  for (auto& [id, learner] : node.learners) {
    if (learner.observer || !isForwarded(learner)) continue;
    ctx.send(learner_link, id, BasicProposal{txn});
    timeAck(ctx, id, learner, txn.zxid);
  }
  if (ctx.rules.leader_log == LeaderLog::beside) append(ctx, txn);
  if (ctx.rules.ack_when == AckWhen::durable) {
    ctx.sendDurable(learner_link, node.self, Ack{txn.zxid});
  } else {
    ctx.send(learner_link, node.self, Ack{txn.zxid});
  }
}

void onAck(const IsContext auto& ctx, ServerId from, Zxid zxid) {
  auto& node = ctx.node;
  if (node.role != Role::LEADING) return;
  if (from != node.self) {
    const auto found = node.learners.find(from);
    if (found == node.learners.end() || found->second.stage < LearnerStage::syncing) return;
    if (found->second.stage == LearnerStage::syncing) {
      hearLearner(ctx, from);
      return onNewLeaderAck(ctx, from, zxid);
    }
    noteAck(ctx, from, zxid);
  }
  countAck(ctx, from, zxid);
}

void onLateAck(const IsContext auto& ctx, ServerId from, Zxid zxid) {
  if (ctx.node.role == Role::LEADING && ctx.rules.rejoin_acks != RejoinAcks::own_connection)
    countAck(ctx, from, zxid);
}

void onServicePacket(const IsContext auto& ctx, ServerId from, const auto& message) {
  const auto& node = ctx.node;
  if (node.role != Role::LEADING || !node.serves() || node.log_failed || !node.learners.contains(from))
    return;
  ServiceOf<decltype(ctx)>::onFromLearner(ctx, from, message);
}

void onAckLimit(const IsContext auto& ctx, ServerId learner) { dropLearner(ctx, learner); }

void onProposal(const IsContext auto& ctx, const IsTxn auto& txn) {
  auto& node = ctx.node;
  append(ctx, txn);
  if (ctx.rules.ack_when == AckWhen::durable) {
    ctx.sendDurable(learner_link, *node.leader, Ack{txn.zxid});
  } else {
    ctx.send(learner_link, *node.leader, Ack{txn.zxid});
  }
  node.pending_txns.push_back(txn);
  if (ctx.rules.apply_when == ApplyWhen::proposal) apply(ctx, txn, AppliedBecause::committed);
}

void onCommit(const IsContext auto& ctx, Zxid zxid) { commitPending(ctx, zxid); }

void onInform(const IsContext auto& ctx, const IsTxn auto& txn) {
  append(ctx, txn);
  apply(ctx, txn, AppliedBecause::committed);
}

void commitPending(const IsContext auto& ctx, Zxid zxid) {
  auto& pending = ctx.node.pending_txns;
  if (pending.empty()) return;
  if (pending.front().zxid != zxid) {
    return ctx.exit("COMMIT of another transaction than the oldest proposal");
  }
  const auto txn = pending.front();
  pending.erase(pending.begin());
  if (ctx.rules.apply_when == ApplyWhen::commit) apply(ctx, txn, AppliedBecause::committed);
}

}  // namespace zablab::zab
