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

  /// False: the learner's last transaction is of another epoch than the leader's next one; only SNAP is
  /// possible.
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

/// The log from the file that contains `learner` on, if it may be used: it reaches back far enough, and the
/// files after the first one are not larger than the permitted share of the snapshot
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

/// A learner keeps what it knows to be committed, and everything after that is sent to it, including what it
/// has.
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
BasicSyncPlan<S> planFor(const BasicContext<S>& ctx, const Learner& learner) {
  const auto& node = ctx.node;
  const auto isItsLast = [&](const auto& proposal) { return proposal.txn.zxid == learner.last; };
  if (ctx.rules.rejoin_acks == RejoinAcks::not_truncated &&
      std::any_of(node.outstanding_proposals.begin(), node.outstanding_proposals.end(), isItsLast)) {
    return {SyncMode::DIFF, learner.last, {}, learner.last, SyncReason::outstanding};
  }
  return planSync<S>(
      ctx.config, ctx.rules,
      {node.last_processed, node.committed_log, node.files, node.committed_log.size() == node.history.size()},
      learner.last, learner.committed);
}

void synchronize(const IsContext auto& ctx, ServerId id) {
  auto& node = ctx.node;
  Learner& learner = node.learners.at(id);
  const auto plan = planFor(ctx, learner);
  if (ctx.rules.rejoin_acks == RejoinAcks::forgotten || ctx.rules.rejoin_acks == RejoinAcks::own_connection) {
    for (auto& proposal : node.outstanding_proposals) proposal.acks.erase(id);
  }
  ctx.emit(SyncChosen{id, learner.last, plan.mode, plan.to, static_cast<std::int64_t>(plan.txns.size()),
                      plan.reason});
  const bool newleader_first =
      plan.mode == SyncMode::SNAP && ctx.rules.newleader_queued == NewLeaderQueued::before_snapshot;
  const Zxid snapshot_zxid = newleader_first && !node.outstanding_proposals.empty()
                                 ? node.outstanding_proposals.back().txn.zxid
                                 : node.last_processed;
  switch (plan.mode) {
    case SyncMode::SNAP:
      ctx.send(learner_link, id,
               BasicSnap<ServiceOf<decltype(ctx)>>{{snapshot_zxid, node.history, node.service}});
      if (newleader_first) sendNewLeader(ctx, id);
      break;
    case SyncMode::TRUNC: ctx.send(learner_link, id, Trunc{plan.to}); break;
    case SyncMode::DIFF:
    case SyncMode::NONE: ctx.send(learner_link, id, Diff{plan.to}); break;
  }
  for (const auto& txn : plan.txns) {
    ctx.send(learner_link, id, BasicProposal{txn});
    ctx.send(learner_link, id, Commit{txn.zxid});
  }
  learner.stage = LearnerStage::syncing;
  for (const auto& proposal : node.outstanding_proposals) {
    const bool missed = ctx.rules.registration == Registration::misses_outstanding;
    if (!learner.observer && !missed && proposal.txn.zxid > plan.covered)
      ctx.send(learner_link, id, BasicProposal{proposal.txn});
  }
  if (ctx.config.newleader_delay_ms > 0 && !newleader_first) {
    ctx.setTimerWithin(TimerKind::newleader, 0, ctx.config.newleader_delay_ms, id);
  } else if (!newleader_first) {
    sendNewLeader(ctx, id);
  }
  ctx.setTimer(TimerKind::learner_limit, ctx.config.init_limit * ctx.config.tick_ms, id);
}

void sendNewLeader(const IsContext auto& ctx, ServerId id) {
  ctx.send(learner_link, id, NewLeader{Zxid::of(ctx.node.epoch, 0)});
}

void onNewLeaderAck(const IsContext auto& ctx, ServerId from, Zxid zxid) {
  Learner& learner = ctx.node.learners.at(from);
  learner.stage = LearnerStage::synced;
  if (ctx.node.phase == Phase::broadcast) return sendUpToDate(ctx, from);
  // Any other zxid is not counted, and the learner is not asked for another (Leader.waitForNewLeaderAck).
  if (zxid == Zxid::of(ctx.node.epoch, 0)) countNewLeaderAck(ctx, from);
}

void countNewLeaderAck(const IsContext auto& ctx, ServerId id) {
  auto& node = ctx.node;
  if (!node.promised || node.phase == Phase::broadcast) return;
  if (ctx.config.isVoter(id)) node.newleader_acks.insert(id);
  const std::vector<ServerId> acks(node.newleader_acks.begin(), node.newleader_acks.end());
  if (node.newleader_acks.contains(node.self) && isQuorum(ctx.config, ctx.rules, acks)) activate(ctx);
}

// ---- the learner

/// SyncRequestProcessor counts what it logs, and begins snapshots; what a learner appends itself is not
/// counted (ZKDatabase.append).
enum class LoggedBy : std::uint8_t { sync_processor, learner };

void begin(const IsContext auto& ctx, SyncMode mode) {
  ctx.node.sync = mode;
  enterPhase(ctx, Phase::synchronization);
}

bool beforeNewLeader(const auto& node) { return !node.newleader_acked; }
bool appliesAtOnce(const auto& node) { return beforeNewLeader(node) && node.sync != SyncMode::DIFF; }

/// Logs everything received in synchronization.
void logAll(const IsContext auto& ctx, LoggedBy by, bool acknowledge) {
  auto& node = ctx.node;
  for (const auto& txn : node.packets_not_logged) {
    by == LoggedBy::sync_processor ? append(ctx, txn) : appendUncounted(ctx, txn);
    if (acknowledge && node.role == Role::FOLLOWING)
      ctx.sendDurable(learner_link, *node.leader, Ack{txn.zxid});
    node.pending_txns.push_back(txn);
  }
  node.packets_not_logged.clear();
}

/// Logs and applies the committed part of what was received in synchronization.
void takeCommitted(const IsContext auto& ctx) {
  auto& node = ctx.node;
  while (!node.packets_committed.empty() && !node.packets_not_logged.empty()) {
    if (node.packets_not_logged.front().zxid != node.packets_committed.front()) break;
    const auto txn = node.packets_not_logged.front();
    node.packets_not_logged.erase(node.packets_not_logged.begin());
    node.packets_committed.erase(node.packets_committed.begin());
    appendUncounted(ctx, txn);
    apply(ctx, txn, AppliedBecause::synchronized);
  }
}

/// What was committed before NEWLEADER arrived is applied and never logged: the log would continue after a
/// gap.
bool logLacksApplied(const auto& node) {
  return !node.files.log.empty() && node.files.log.back().zxid < node.last_processed;
}

void onDiff(const IsContext auto& ctx, const Diff& diff) {
  begin(ctx, SyncMode::DIFF);
  if (ctx.rules.diff_header == DiffHeader::moves_zxid) ctx.node.last_processed = diff.to;
}

void onTrunc(const IsContext auto& ctx, const Trunc& trunc) {
  if (!canTruncate(ctx)) return ctx.exit("TRUNC: there are no log files to truncate");
  begin(ctx, SyncMode::TRUNC);
  truncate(ctx, trunc.to);
}

void onSnap(const IsContext auto& ctx, const auto& snap) {
  begin(ctx, SyncMode::SNAP);
  adoptSnapshot(ctx, snap.snapshot);
}

void onSyncProposal(const IsContext auto& ctx, const IsTxn auto& txn) {
  auto& unlogged = ctx.node.packets_not_logged;
  const bool hole = !unlogged.empty() && unlogged.back().zxid.epoch() == txn.zxid.epoch() &&
                    unlogged.back().zxid.counter() + 1 != txn.zxid.counter();
  if (hole) return becomeLooking(ctx, RoleReason::sync_failed);
  unlogged.push_back(txn);
}

void onSyncCommit(const IsContext auto& ctx, Zxid zxid) {
  auto& node = ctx.node;
  if (appliesAtOnce(node)) {
    if (node.packets_not_logged.empty() || node.packets_not_logged.front().zxid != zxid) return;
    const auto txn = node.packets_not_logged.front();
    node.packets_not_logged.erase(node.packets_not_logged.begin());
    return apply(ctx, txn, AppliedBecause::synchronized);
  }
  if (!beforeNewLeader(node)) {
    if (ctx.rules.sync_commit == SyncCommit::dropped) return;
    if (ctx.rules.sync_commit == SyncCommit::needs_pending)
      return becomeLooking(ctx, RoleReason::sync_failed);
  }
  node.packets_committed.push_back(zxid);
}

void onSyncInform(const IsContext auto& ctx, const IsTxn auto& txn) {
  if (appliesAtOnce(ctx.node)) return apply(ctx, txn, AppliedBecause::synchronized);
  ctx.node.packets_not_logged.push_back(txn);
  ctx.node.packets_committed.push_back(txn.zxid);
}

void onNewLeader(const IsContext auto& ctx, const NewLeader& packet) {
  auto& node = ctx.node;
  if (node.sync == SyncMode::SNAP) writeSnapshot(ctx, ctx.rules.snap_log != SnapLog::kept);
  if (node.sync == SyncMode::TRUNC)
    writeSnapshot(ctx, ctx.rules.snap_log == SnapLog::removed && logLacksApplied(node));
  const auto writeEpoch = [&] { ctx.write(WriteCurrentEpoch{node.epoch}); };
  // An observer takes what has arrived by now at UPTODATE.
  const bool follows = node.role == Role::FOLLOWING;
  const auto takeOwn = [&] {
    if (follows) takeCommitted(ctx);
  };
  const auto logOwn = [&](LoggedBy by, bool acknowledge) {
    if (follows) logAll(ctx, by, acknowledge);
  };
  switch (ctx.rules.newleader_order) {
    case NewLeaderOrder::committed_epoch_ack:
      takeOwn();
      ctx.flush();
      writeEpoch();
      break;
    case NewLeaderOrder::history_epoch_ack:
      logOwn(LoggedBy::learner, false);
      ctx.flush();
      writeEpoch();
      break;
    case NewLeaderOrder::epoch_committed_ack:
      writeEpoch();
      takeOwn();
      ctx.flush();
      break;
    case NewLeaderOrder::epoch_history_ack:
      writeEpoch();
      logOwn(LoggedBy::learner, false);
      ctx.flush();
      break;
    case NewLeaderOrder::epoch_ack_queue: writeEpoch(); break;
    case NewLeaderOrder::epoch_queue_ack:
      writeEpoch();
      logOwn(LoggedBy::sync_processor, true);
      break;
    case NewLeaderOrder::queue_epoch_ack:
      logOwn(LoggedBy::sync_processor, false);
      writeEpoch();
      break;
    case NewLeaderOrder::epoch_ack_history: writeEpoch(); break;
    case NewLeaderOrder::ack_history_epoch: break;
  }
  ctx.send(learner_link, *node.leader, Ack{packet.zxid});
  if (ctx.rules.newleader_order == NewLeaderOrder::epoch_ack_queue) logOwn(LoggedBy::sync_processor, true);
  node.newleader_acked = true;
  ctx.setTimer(TimerKind::leader_limit, ctx.config.sync_limit * ctx.config.tick_ms);
}

void onUpToDate(const IsContext auto& ctx) {
  auto& node = ctx.node;
  const bool follows = node.role == Role::FOLLOWING;
  ctx.send(learner_link, *node.leader, Ack{Zxid::of(node.epoch, 0)});
  // What was logged at NEWLEADER without being acknowledged.
  const bool acknowledged = ctx.rules.newleader_order == NewLeaderOrder::epoch_queue_ack ||
                            ctx.rules.newleader_order == NewLeaderOrder::epoch_ack_queue;
  if (follows && !acknowledged) {
    for (const auto& txn : node.pending_txns) ctx.sendDurable(learner_link, *node.leader, Ack{txn.zxid});
  }
  logAll(ctx, LoggedBy::sync_processor, true);
  if (ctx.rules.newleader_order == NewLeaderOrder::ack_history_epoch) {
    ctx.flush();
    ctx.write(WriteCurrentEpoch{node.epoch});
  }
  node.current_vote.peer_epoch = node.epoch;
  knowCommitted(ctx);
  enterPhase(ctx, Phase::broadcast);
  for (const Zxid zxid : std::exchange(node.packets_committed, {})) commitPending(ctx, zxid);
  ServiceOf<decltype(ctx)>::onServes(ctx);
}

void abandonSync(const IsContext auto& ctx) {
  const auto& node = ctx.node;
  if (node.sync == SyncMode::NONE || node.newleader_acked) return;
  const bool kept = (node.sync == SyncMode::TRUNC && ctx.rules.interrupted_sync != Interrupted::reloaded) ||
                    (node.sync == SyncMode::SNAP && ctx.rules.interrupted_sync == Interrupted::snap_kept) ||
                    node.sync == SyncMode::DIFF;
  if (!kept) reloadHistory(ctx, HistoryReason::reloaded);
}

}  // namespace zablab::zab
