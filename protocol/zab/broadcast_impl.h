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

/// Learners that get proposals: from the moment on in which they were sent NEWLEADER.
inline bool isForwarded(const Learner& learner) { return learner.stage >= LearnerStage::syncing; }

/// The time for an acknowledgement runs for one proposal at a time, and the newest behind it.
void timeAck(const IsContext auto& in, ServerId id, Learner& learner, Zxid zxid) {
  if (learner.stage < LearnerStage::synced) return;
  if (learner.awaited) {
    learner.latest = zxid;
    return;
  }
  learner.awaited = zxid;
  in.setTimer(TimerKind::ack_limit, in.config.sync_limit * in.config.tick_ms, id);
}

void noteAck(const IsContext auto& in, ServerId id, Zxid zxid) {
  const auto found = in.node.learners.find(id);
  if (found == in.node.learners.end()) return;
  Learner& learner = found->second;
  if (learner.latest == zxid) learner.latest.reset();
  if (learner.awaited != zxid) return;
  learner.awaited = std::exchange(learner.latest, std::nullopt);
  if (learner.awaited) {
    in.setTimer(TimerKind::ack_limit, in.config.sync_limit * in.config.tick_ms, id);
  } else {
    in.cancelTimer(TimerKind::ack_limit, id);
  }
}

void commit(const IsContext auto& in, std::size_t position) {
  auto& node = in.node;
  const auto proposal = node.outstanding[position];
  const Zxid zxid = proposal.txn.zxid;
  node.outstanding.erase(node.outstanding.begin() + static_cast<std::ptrdiff_t>(position));
  node.last_committed = zxid;
  in.emit(Committed{zxid, {proposal.acks.begin(), proposal.acks.end()}});
  for (const auto& [id, learner] : node.learners) {
    if (!isForwarded(learner)) continue;
    if (learner.observer) {
      in.send(learner_link, id, BasicInform{proposal.txn});
    } else {
      in.send(learner_link, id, Commit{zxid});
    }
  }
  apply(in, proposal.txn, AppliedBecause::committed);
  ServiceOf<decltype(in)>::onCommitted(in, zxid);
}

bool mayCommit(const IsContext auto& in, std::size_t position) {
  const auto& acks = in.node.outstanding[position].acks;
  switch (in.rules.commit_when) {
    case CommitWhen::first_ack: return position == 0;
    case CommitWhen::quorum_in_order:
      if (position > 0) return false;
      [[fallthrough]];
    case CommitWhen::quorum_any_order:
      return isQuorum(in.config, in.rules, std::vector<ServerId>(acks.begin(), acks.end()));
  }
  return false;
}

/// Counts it for its proposal, and commits when that is enough (Leader.processAck).
void countAck(const IsContext auto& in, ServerId from, Zxid zxid) {
  auto& node = in.node;
  if (node.log_failed) return;
  const auto at = std::find_if(node.outstanding.begin(), node.outstanding.end(),
                               [zxid](const auto& proposal) { return proposal.txn.zxid == zxid; });
  if (at == node.outstanding.end() || !in.config.isVoter(from)) return;
  at->acks.insert(from);
  const auto position = static_cast<std::size_t>(at - node.outstanding.begin());
  if (mayCommit(in, position)) commit(in, position);
}

void activate(const IsContext auto& in) {
  auto& node = in.node;
  const Zxid start = Zxid::of(node.epoch, 0);
  in.emit(
      Established{node.epoch, node.last_processed, {node.newleader_acks.begin(), node.newleader_acks.end()}});
  in.cancelTimer(TimerKind::init_limit);
  node.last_committed = start;
  node.last_processed = start;
  node.current_vote.epoch = node.epoch;
  knowCommitted(in);
  enterPhase(in, Phase::broadcast);
  const auto ready =
      in.rules.serve_after == ServeAfter::own_ack ? LearnerStage::synced : LearnerStage::syncing;
  for (const auto& [id, learner] : node.learners) {
    if (learner.stage >= ready) sendUpToDate(in, id);
  }
}

void sendUpToDate(const IsContext auto& in, ServerId id) {
  in.node.learners.at(id).stage = LearnerStage::up_to_date;
  in.send(learner_link, id, UpToDate{});
}

template <class S>
void propose(const BasicContext<S>& in, const typename S::Proposed& proposed) {
  auto& node = in.node;
  if (node.last_proposed.counter() == counter_max - 1 && in.rules.rollover == Rollover::step_down) {
    return look(in, RoleReason::counter_used_up);
  }
  if (node.last_proposed.value == std::numeric_limits<std::int64_t>::max())  // there is no zxid behind it
    return look(in, RoleReason::counter_used_up);
  const auto payload = S::prepare(node.service, node.outstanding, proposed);
  if (!payload) return;
  node.last_proposed = {node.last_proposed.value + 1};
  const BasicTxn<S> txn{node.last_proposed, *payload};
  node.outstanding.push_back({txn, {}});
  if (in.rules.leader_log == LeaderLog::first) {
    append(in, txn);
    in.flush();
  }
  for (auto& [id, learner] : node.learners) {
    if (learner.observer || !isForwarded(learner)) continue;
    in.send(learner_link, id, BasicProposal{txn});
    timeAck(in, id, learner, txn.zxid);
  }
  if (in.rules.leader_log == LeaderLog::beside) append(in, txn);
  if (in.rules.ack_when == AckWhen::durable) {
    in.sendDurable(learner_link, node.self, Ack{txn.zxid});
  } else {
    in.send(learner_link, node.self, Ack{txn.zxid});
  }
}

void onAck(const IsContext auto& in, ServerId from, Zxid zxid) {
  auto& node = in.node;
  if (node.role != Role::LEADING) return;
  if (from != node.self) {
    const auto found = node.learners.find(from);
    if (found == node.learners.end() || found->second.stage < LearnerStage::syncing) return;
    if (found->second.stage == LearnerStage::syncing) {
      hearLearner(in, from);
      return onNewLeaderAck(in, from, zxid);
    }
    noteAck(in, from, zxid);
  }
  countAck(in, from, zxid);
}

void onLateAck(const IsContext auto& in, ServerId from, Zxid zxid) {
  if (in.node.role == Role::LEADING && in.rules.rejoin_acks != RejoinAcks::own_connection)
    countAck(in, from, zxid);
}

void onServicePacket(const IsContext auto& in, ServerId from, const auto& message) {
  const auto& node = in.node;
  if (node.role != Role::LEADING || !node.serves() || node.log_failed || !node.learners.contains(from))
    return;
  ServiceOf<decltype(in)>::onFromLearner(in, from, message);
}

void onAckLimit(const IsContext auto& in, ServerId learner) { dropLearner(in, learner); }

void onProposal(const IsContext auto& in, const IsTxn auto& txn) {
  auto& node = in.node;
  append(in, txn);
  if (in.rules.ack_when == AckWhen::durable) {
    in.sendDurable(learner_link, *node.leader, Ack{txn.zxid});
  } else {
    in.send(learner_link, *node.leader, Ack{txn.zxid});
  }
  node.pending.push_back(txn);
  if (in.rules.apply_when == ApplyWhen::proposal) apply(in, txn, AppliedBecause::committed);
}

void onCommit(const IsContext auto& in, Zxid zxid) { commitPending(in, zxid); }

void onInform(const IsContext auto& in, const IsTxn auto& txn) {
  append(in, txn);
  apply(in, txn, AppliedBecause::committed);
}

void commitPending(const IsContext auto& in, Zxid zxid) {
  auto& pending = in.node.pending;
  if (pending.empty()) return;
  if (pending.front().zxid != zxid) {
    return in.exit("COMMIT of another transaction than the oldest proposal");
  }
  const auto txn = pending.front();
  pending.erase(pending.begin());
  if (in.rules.apply_when == ApplyWhen::commit) apply(in, txn, AppliedBecause::committed);
}

}  // namespace zablab::zab
