#pragma once

#include "protocol/zab/synchronization.h"

#include <algorithm>

#include "protocol/zab/broadcast.h"
#include "protocol/zab/liveness.h"
#include "protocol/zab/log.h"
#include "protocol/zab/quorum.h"
#include "protocol/zab/roles.h"

namespace zablab::zab {

// ---- the decision table

/// Walks along the leader's committed transactions and gathers what the learner needs
/// (LearnerHandler.queueCommittedProposals).
template <class S>
class Walk {
 public:
  Walk(const BroadcastRules& rules, Zxid learner, Zxid max)
      : rules_(rules),
        learner_(learner),
        max_(max),
        queued_(learner),
        at_epoch_start_(learner.counter() == 0) {}

  /// False: the learner's last transaction is of another epoch than the leader's next one; only SNAP helps.
  bool along(std::span<const BasicTxn<S>> txns, std::optional<Zxid> bound = std::nullopt) {
    Zxid previous = zxid_unusable;
    for (const auto& txn : txns) {
      if (bound && txn.zxid > *bound) break;
      if (txn.zxid < learner_) {
        previous = txn.zxid;
        continue;
      }
      if (!mode_) {
        if (txn.zxid == learner_) {
          announce(SyncMode::DIFF, max_);
          continue;
        }
        if (at_epoch_start_ || rules_.sync_table == SyncTable::range_only) {
          announce(SyncMode::DIFF, max_);
        } else if (txn.zxid.epoch() != learner_.epoch() && rules_.sync_table != SyncTable::across_epochs) {
          return false;
        } else {
          announce(SyncMode::TRUNC, previous);
          queued_ = previous;
        }
      }
      if (txn.zxid <= queued_) continue;
      txns_.push_back(txn);
      queued_ = txn.zxid;
    }
    if (!mode_ && at_epoch_start_) announce(SyncMode::DIFF, max_);
    return true;
  }
  Zxid queued() const { return queued_; }

  std::optional<BasicSyncPlan<S>> plan(SyncReason reason) {
    if (!mode_) return std::nullopt;
    return BasicSyncPlan<S>{*mode_, to_, std::move(txns_), queued_, reason};
  }

 private:
  void announce(SyncMode mode, Zxid to) {
    mode_ = mode;
    to_ = to;
  }

  const BroadcastRules& rules_;
  Zxid learner_;
  Zxid max_;
  Zxid queued_;
  bool at_epoch_start_;
  std::optional<SyncMode> mode_;
  Zxid to_;
  Txns<S> txns_;
};

template <class S>
std::span<const BasicTxn<S>> fileOf(const BasicDurable<S>& files, std::size_t first, std::size_t end) {
  return std::span(files.log).subspan(first, end - first);
}

/// The log from the file on in which `learner` stands, if it may be used: it reaches back far enough, and the
/// files behind the first one are not larger than the share of the snapshot that is allowed
/// (FileTxnSnapLog.readTxnLog).
template <class S>
std::optional<std::span<const BasicTxn<S>>> usableLog(const Config& config, const BasicDurable<S>& files,
                                                      Zxid learner) {
  if (config.log_to_snapshot_permille < 0 || files.log.empty()) return std::nullopt;
  std::vector<std::size_t> begins{0};
  for (std::size_t i = 1; i < files.log.size(); ++i) {
    const Zxid zxid = files.log[i].zxid;
    if (std::find(files.log_files.begin(), files.log_files.end(), zxid) != files.log_files.end())
      begins.push_back(i);
  }
  std::size_t chosen = 0;
  for (std::size_t file = 0; file < begins.size(); ++file) {
    if (files.log[begins[file]].zxid < learner) chosen = file;
  }
  if (files.log[begins[chosen]].zxid > learner) return std::nullopt;
  const std::int64_t snapshot_bytes =
      files.snapshot ? config.txn_bytes * (1 + static_cast<std::int64_t>(files.snapshot->history.size())) : 0;
  const std::int64_t limit = snapshot_bytes * config.log_to_snapshot_permille / 1000;
  std::int64_t bytes = 0;
  for (std::size_t file = chosen + 1; file < begins.size(); ++file) {
    const std::size_t end = file + 1 < begins.size() ? begins[file + 1] : files.log.size();
    const auto entries = static_cast<std::int64_t>(fileOf(files, begins[file], end).size());
    bytes += std::max(config.log_file_min_bytes, entries * config.txn_bytes);
  }
  if (limit > 0 && bytes > limit) return std::nullopt;
  return fileOf(files, begins[chosen], files.log.size());
}

/// A learner keeps what it knows to be committed and is sent everything after it, also what it has.
template <class S>
BasicSyncPlan<S> afterCommitted(const BasicSyncSource<S>& source, Zxid learner, Zxid committed) {
  const auto& log = source.committed_log;
  const Zxid kept = std::min(committed, log.empty() ? source.last : log.back().zxid);
  BasicSyncPlan<S> plan{
      learner > kept ? SyncMode::TRUNC : SyncMode::DIFF, kept, {}, kept, SyncReason::after_committed};
  for (const auto& txn : log) {
    if (txn.zxid > kept) plan.txns.push_back(txn);
  }
  if (!plan.txns.empty()) plan.covered = plan.txns.back().zxid;
  return plan;
}

template <class S>
BasicSyncPlan<S> snapshotOf(const BasicSyncSource<S>& source, SyncReason reason) {
  return {SyncMode::SNAP, source.last, {}, source.last, reason};
}

template <class S>
BasicSyncPlan<S> planSync(const Config& config, const BroadcastRules& rules, const BasicSyncSource<S>& source,
                          Zxid learner, std::optional<Zxid> committed) {
  const auto log = source.committed_log;
  const Zxid min = log.empty() ? source.last : log.front().zxid;
  const Zxid max = log.empty() ? source.last : log.back().zxid;
  const bool across_epochs = rules.sync_table == SyncTable::across_epochs;
  const bool at_epoch_start = learner.counter() == 0 && !across_epochs;
  if (config.force_snapshot) return snapshotOf(source, SyncReason::forced);
  if (rules.sync_table == SyncTable::after_committed && committed &&
      (*committed >= min || source.from_the_start))
    return afterCommitted(source, learner, *committed);
  if (source.last == learner) return {SyncMode::DIFF, learner, {}, learner, SyncReason::equal};
  if (across_epochs && log.empty()) return snapshotOf(source, SyncReason::behind_without_log);
  if (learner > max && !at_epoch_start) return {SyncMode::TRUNC, max, {}, max, SyncReason::learner_ahead};
  if (min <= learner && learner <= max) {
    Walk<S> walk(rules, learner, max);
    walk.along(log);
    return walk.plan(SyncReason::within_committed_log).value_or(snapshotOf(source, SyncReason::other_epoch));
  }
  if (learner < min && !across_epochs) {
    const auto from_disk = usableLog(config, source.files, learner);
    if (!from_disk) return snapshotOf(source, SyncReason::behind_without_log);
    Walk<S> walk(rules, learner, max);
    if (!walk.along(*from_disk, min)) return snapshotOf(source, SyncReason::other_epoch);
    if (walk.queued() < min) return snapshotOf(source, SyncReason::gap_in_log);
    walk.along(log);
    return walk.plan(SyncReason::behind_from_disk).value_or(snapshotOf(source, SyncReason::no_match));
  }
  return snapshotOf(source, SyncReason::no_match);
}

// ---- the leader

template <class S>
BasicSyncPlan<S> planFor(const BasicContext<S>& in, const Learner& learner) {
  const auto& node = in.node;
  const auto isItsLast = [&](const auto& proposal) { return proposal.txn.zxid == learner.last; };
  if (in.rules.rejoin_acks == RejoinAcks::not_truncated &&
      std::any_of(node.outstanding.begin(), node.outstanding.end(), isItsLast)) {
    return {SyncMode::DIFF, learner.last, {}, learner.last, SyncReason::outstanding};
  }
  return planSync<S>(
      in.config, in.rules,
      {node.last_processed, node.committed_log, node.files, node.committed_log.size() == node.history.size()},
      learner.last, learner.committed);
}

void synchronize(const IsContext auto& in, ServerId id) {
  auto& node = in.node;
  Learner& learner = node.learners.at(id);
  const auto plan = planFor(in, learner);
  if (in.rules.rejoin_acks == RejoinAcks::forgotten || in.rules.rejoin_acks == RejoinAcks::own_connection) {
    for (auto& proposal : node.outstanding) proposal.acks.erase(id);
  }
  in.emit(SyncChosen{id, learner.last, plan.mode, plan.to, static_cast<std::int64_t>(plan.txns.size()),
                     plan.reason});
  const bool newleader_first =
      plan.mode == SyncMode::SNAP && in.rules.newleader_queued == NewLeaderQueued::before_snapshot;
  const Zxid snapshot_zxid =
      newleader_first && !node.outstanding.empty() ? node.outstanding.back().txn.zxid : node.last_processed;
  switch (plan.mode) {
    case SyncMode::SNAP:
      in.send(learner_link, id,
              BasicSnap<ServiceOf<decltype(in)>>{{snapshot_zxid, node.history, node.service}});
      if (newleader_first) sendNewLeader(in, id);
      break;
    case SyncMode::TRUNC: in.send(learner_link, id, Trunc{plan.to}); break;
    case SyncMode::DIFF:
    case SyncMode::NONE: in.send(learner_link, id, Diff{plan.to}); break;
  }
  for (const auto& txn : plan.txns) {
    in.send(learner_link, id, BasicProposal{txn});
    in.send(learner_link, id, Commit{txn.zxid});
  }
  learner.stage = LearnerStage::syncing;
  for (const auto& proposal : node.outstanding) {
    const bool missed = in.rules.registration == Registration::misses_outstanding;
    if (!learner.observer && !missed && proposal.txn.zxid > plan.covered)
      in.send(learner_link, id, BasicProposal{proposal.txn});
  }
  if (in.config.newleader_delay_ms > 0 && !newleader_first) {
    in.setTimerWithin(TimerKind::newleader, 0, in.config.newleader_delay_ms, id);
  } else if (!newleader_first) {
    sendNewLeader(in, id);
  }
  in.setTimer(TimerKind::learner_limit, in.config.init_limit * in.config.tick_ms, id);
}

void sendNewLeader(const IsContext auto& in, ServerId id) {
  in.send(learner_link, id, NewLeader{Zxid::of(in.node.epoch, 0)});
}

void onNewLeaderAck(const IsContext auto& in, ServerId from, Zxid zxid) {
  Learner& learner = in.node.learners.at(from);
  learner.stage = LearnerStage::synced;
  if (in.node.phase == Phase::broadcast) return sendUpToDate(in, from);
  // Any other zxid is not counted, and the learner is not asked again (Leader.waitForNewLeaderAck).
  if (zxid == Zxid::of(in.node.epoch, 0)) countNewLeaderAck(in, from);
}

void countNewLeaderAck(const IsContext auto& in, ServerId id) {
  auto& node = in.node;
  if (!node.promised || node.phase == Phase::broadcast) return;
  if (in.config.isVoter(id)) node.newleader_acks.insert(id);
  const std::vector<ServerId> acks(node.newleader_acks.begin(), node.newleader_acks.end());
  if (node.newleader_acks.contains(node.self) && isQuorum(in.config, in.rules, acks)) activate(in);
}

// ---- the learner

void begin(const IsContext auto& in, SyncMode mode) {
  in.node.sync = mode;
  enterPhase(in, Phase::synchronization);
}

bool beforeNewLeader(const auto& node) { return !node.newleader_acked; }
bool appliesAtOnce(const auto& node) { return beforeNewLeader(node) && node.sync != SyncMode::DIFF; }

/// Logs, or hands to the log's thread, everything that synchronization brought.
void logAll(const IsContext auto& in, bool acknowledge) {
  auto& node = in.node;
  for (const auto& txn : node.unlogged) {
    append(in, txn);
    if (acknowledge && node.role == Role::FOLLOWING)
      in.sendDurable(learner_link, *node.leader, Ack{txn.zxid});
    node.pending.push_back(txn);
  }
  node.unlogged.clear();
}

/// Logs and applies the committed part of what synchronization brought.
void takeCommitted(const IsContext auto& in) {
  auto& node = in.node;
  while (!node.to_commit.empty() && !node.unlogged.empty()) {
    if (node.unlogged.front().zxid != node.to_commit.front()) break;
    const auto txn = node.unlogged.front();
    node.unlogged.erase(node.unlogged.begin());
    node.to_commit.erase(node.to_commit.begin());
    append(in, txn);
    apply(in, txn, AppliedBecause::synchronized);
  }
}

/// What was committed before NEWLEADER came is applied and never logged: the log would go on behind a hole.
bool logLacksApplied(const auto& node) {
  return !node.files.log.empty() && node.files.log.back().zxid < node.last_processed;
}

void onDiff(const IsContext auto& in, const Diff& diff) {
  begin(in, SyncMode::DIFF);
  if (in.rules.diff_header == DiffHeader::moves_zxid) in.node.last_processed = diff.to;
}

void onTrunc(const IsContext auto& in, const Trunc& trunc) {
  if (!canTruncate(in)) return in.exit("TRUNC: there are no log files to truncate");
  begin(in, SyncMode::TRUNC);
  truncate(in, trunc.to);
}

void onSnap(const IsContext auto& in, const auto& snap) {
  begin(in, SyncMode::SNAP);
  adoptSnapshot(in, snap.snapshot);
}

void onSyncProposal(const IsContext auto& in, const IsTxn auto& txn) {
  auto& unlogged = in.node.unlogged;
  const bool hole = !unlogged.empty() && unlogged.back().zxid.epoch() == txn.zxid.epoch() &&
                    unlogged.back().zxid.counter() + 1 != txn.zxid.counter();
  if (hole) return look(in, RoleReason::sync_failed);
  unlogged.push_back(txn);
}

void onSyncCommit(const IsContext auto& in, Zxid zxid) {
  auto& node = in.node;
  if (appliesAtOnce(node)) {
    if (node.unlogged.empty() || node.unlogged.front().zxid != zxid) return;
    const auto txn = node.unlogged.front();
    node.unlogged.erase(node.unlogged.begin());
    return apply(in, txn, AppliedBecause::synchronized);
  }
  if (!beforeNewLeader(node)) {
    if (in.rules.sync_commit == SyncCommit::dropped) return;
    if (in.rules.sync_commit == SyncCommit::needs_pending) return look(in, RoleReason::sync_failed);
  }
  node.to_commit.push_back(zxid);
}

void onSyncInform(const IsContext auto& in, const IsTxn auto& txn) {
  if (appliesAtOnce(in.node)) return apply(in, txn, AppliedBecause::synchronized);
  in.node.unlogged.push_back(txn);
  in.node.to_commit.push_back(txn.zxid);
}

void onNewLeader(const IsContext auto& in, const NewLeader& packet) {
  auto& node = in.node;
  if (node.sync == SyncMode::SNAP) writeSnapshot(in, in.rules.snap_log != SnapLog::kept);
  if (node.sync == SyncMode::TRUNC)
    writeSnapshot(in, in.rules.snap_log == SnapLog::removed && logLacksApplied(node));
  const auto writeEpoch = [&] { in.write(WriteCurrentEpoch{node.epoch}); };
  switch (in.rules.newleader_order) {
    case NewLeaderOrder::committed_epoch_ack:
      takeCommitted(in);
      in.flush();
      writeEpoch();
      break;
    case NewLeaderOrder::history_epoch_ack:
      logAll(in, false);
      in.flush();
      writeEpoch();
      break;
    case NewLeaderOrder::epoch_committed_ack:
      writeEpoch();
      takeCommitted(in);
      in.flush();
      break;
    case NewLeaderOrder::epoch_history_ack:
      writeEpoch();
      logAll(in, false);
      in.flush();
      break;
    case NewLeaderOrder::epoch_ack_queue: writeEpoch(); break;
    case NewLeaderOrder::epoch_queue_ack:
      writeEpoch();
      logAll(in, true);
      break;
    case NewLeaderOrder::queue_epoch_ack:
      logAll(in, false);
      writeEpoch();
      break;
    case NewLeaderOrder::epoch_ack_history: writeEpoch(); break;
    case NewLeaderOrder::ack_history_epoch: break;
  }
  in.send(learner_link, *node.leader, Ack{packet.zxid});
  if (in.rules.newleader_order == NewLeaderOrder::epoch_ack_queue) logAll(in, true);
  node.newleader_acked = true;
  in.setTimer(TimerKind::leader_limit, in.config.sync_limit * in.config.tick_ms);
}

void onUpToDate(const IsContext auto& in) {
  auto& node = in.node;
  const bool follows = node.role == Role::FOLLOWING;
  in.send(learner_link, *node.leader, Ack{Zxid::of(node.epoch, 0)});
  // What NEWLEADER's order logged without acknowledging it.
  const bool acknowledged = in.rules.newleader_order == NewLeaderOrder::epoch_queue_ack ||
                            in.rules.newleader_order == NewLeaderOrder::epoch_ack_queue;
  if (follows && !acknowledged) {
    for (const auto& txn : node.pending) in.sendDurable(learner_link, *node.leader, Ack{txn.zxid});
  }
  logAll(in, true);
  if (in.rules.newleader_order == NewLeaderOrder::ack_history_epoch) {
    in.flush();
    in.write(WriteCurrentEpoch{node.epoch});
  }
  node.current_vote.epoch = node.epoch;
  knowCommitted(in);
  enterPhase(in, Phase::broadcast);
  for (const Zxid zxid : std::exchange(node.to_commit, {})) commitPending(in, zxid);
}

void abandonSync(const IsContext auto& in) {
  const auto& node = in.node;
  if (node.sync == SyncMode::NONE || node.newleader_acked) return;
  const bool kept = (node.sync == SyncMode::TRUNC && in.rules.interrupted_sync != Interrupted::reloaded) ||
                    (node.sync == SyncMode::SNAP && in.rules.interrupted_sync == Interrupted::snap_kept) ||
                    node.sync == SyncMode::DIFF;
  if (!kept) reloadHistory(in, HistoryReason::reloaded);
}

}  // namespace zablab::zab
