#pragma once

#include "protocol/zab/log.h"

#include <algorithm>

#include "protocol/overloaded.h"

namespace zablab::zab {

void remember(const Config& config, auto& node, const IsTxn auto& txn) {
  node.committed_log.push_back(txn);
  const auto max = static_cast<std::size_t>(config.committed_log_max);
  if (node.committed_log.size() > max) node.committed_log.erase(node.committed_log.begin());
}

template <class S>
typename S::Applied deliver(BasicServer<S>& node, const BasicTxn<S>& txn) {
  node.history.push_back(txn);
  node.last_processed = txn.zxid;
  return S::apply(node.service, txn.zxid, txn.payload);
}

/// The first transaction of the log that comes after `last`. Everything after it is read, whatever it
/// contains.
template <class S>
auto firstAfter(const Txns<S>& log, Zxid last) {
  return std::find_if(log.begin(), log.end(), [last](const auto& txn) { return txn.zxid > last; });
}

/// The snapshot that was the newest when the history ended at `to`. Older ones are kept, and are as complete
/// as the newest one's history tells.
template <class S>
BasicSnapshot<S> olderSnapshot(const BasicSnapshot<S>& newest, Zxid to) {
  BasicSnapshot<S> older{to, newest.history, {}};
  std::erase_if(older.history, [to](const auto& txn) { return txn.zxid > to; });
  older.service = stateAfter<S>(older.history);
  return older;
}

/// Removes everything after `to` from a disk. A snapshot that is named after a later transaction is replaced
/// by an older one, or it remains.
template <class S>
void cutOff(BasicDurable<S>& disk, const WriteTruncation& write) {
  const Zxid to = write.to;
  const auto beyond = [to](const auto& txn) { return txn.zxid > to; };
  std::erase_if(disk.log, beyond);
  std::erase_if(disk.log_files, [to](Zxid first) { return first > to; });
  if (disk.snapshot && disk.snapshot->last > to && !write.keeps_snapshot)
    disk.snapshot = olderSnapshot(*disk.snapshot, to);
}

/// The log continues in a new file, and what has been applied so far becomes the newest snapshot, at once or
/// when its writing has taken its time. What was logged is written to the disk first.
void rollLog(const IsContext auto& ctx) {
  ctx.node.logged_since_snapshot = 0;
  ctx.node.new_log_file = true;
  ctx.flush();
  if (ctx.config.snapshot_ms == 0) return writeSnapshot(ctx, false);
  if (ctx.node.snapshot_begun) return;  // SyncRequestProcessor: "Too busy to snap, skipping"
  ctx.node.snapshot_begun = ctx.node.last_processed;
  ctx.setTimer(TimerKind::snapshot, ctx.config.snapshot_ms);
}

void completeSnapshot(const IsContext auto& ctx) {
  using S = ServiceOf<decltype(ctx)>;
  const Zxid begun = *std::exchange(ctx.node.snapshot_begun, std::nullopt);
  BasicSnapshot<S> snapshot{begun, ctx.node.history, ctx.node.service};
  std::erase_if(snapshot.history, [begun](const auto& txn) { return txn.zxid > begun; });
  ctx.write(BasicWriteSnapshot<S>{std::move(snapshot), false});
}

/// Waits for the snapshot that is being written, if there is one.
void awaitSnapshot(const IsContext auto& ctx) {
  if (!ctx.node.snapshot_begun) return;
  ctx.cancelTimer(TimerKind::snapshot);
  completeSnapshot(ctx);
}

void endSnapshotWithRole(const IsContext auto& ctx) {
  switch (ctx.rules.snapshot_at_role_end) {
    case SnapshotAtRoleEnd::awaited: return awaitSnapshot(ctx);
    case SnapshotAtRoleEnd::aborted:
      if (ctx.node.snapshot_begun) ctx.cancelTimer(TimerKind::snapshot);
      return ctx.node.snapshot_begun.reset();
    case SnapshotAtRoleEnd::goes_on: return;
  }
}

template <class S>
void BasicFamily<S>::write(Durable& disk, const Record& record) {
  visit(Overloaded{
            [&](const WriteAcceptedEpoch& write) { disk.accepted_epoch = write.epoch; },
            [&](const WriteCurrentEpoch& write) {
              disk.current_epoch = write.epoch;
              disk.current_epoch_tmp.reset();
            },
            [&](const BasicWriteSnapshot<S>& write) {
              const bool newest = !disk.snapshot || disk.snapshot->last <= write.snapshot.last;
              if (newest || write.replaces_log) disk.snapshot = write.snapshot;
              if (!write.replaces_log) return;
              disk.log.clear();
              disk.log_files.clear();
            },
            [&](const BasicWriteTxn<S>& write) {
              if (write.new_file && !disk.log.empty()) disk.log_files.push_back(write.txn.zxid);
              disk.log.push_back(write.txn);
            },
            [&](const WriteTruncation& write) { cutOff(disk, write); },
            [&](const WriteLogicalClock& write) { disk.logicalclock = write.logicalclock; },
        },
        record);
}

// An unfinished snapshot or transaction is not read; an epoch's file is written next to the old one and
// renamed.
template <class S>
void BasicFamily<S>::writeHalf(Durable& disk, const Record& record) {
  if (const auto* write = get_if<WriteCurrentEpoch>(&record)) disk.current_epoch_tmp = write->epoch;
}

void readHistory(const Config& config, auto& node, std::optional<Zxid> newest) {
  node.committed_log.clear();
  node.history.clear();
  node.service = {};
  node.last_processed = {};
  if (auto snapshot = node.files.snapshot) {
    if (newest && snapshot->last > *newest) snapshot = olderSnapshot(*snapshot, *newest);
    node.history = std::move(snapshot->history);
    node.service = std::move(snapshot->service);
    node.last_processed = snapshot->last;
  }
  const auto& log = node.files.log;
  for (auto at = firstAfter(log, node.last_processed); at != log.end(); ++at) {
    deliver(node, *at);
    remember(config, node, *at);
  }
}

void reloadHistory(const IsContext auto& ctx, HistoryReason reason, std::optional<Zxid> newest) {
  awaitSnapshot(ctx);
  readHistory(ctx.config, ctx.node, newest);
  ctx.emit(BasicHistoryLoaded{reason, ctx.node.history});
}

void appendUncounted(const IsContext auto& ctx, const IsTxn auto& txn) {
  const bool new_file = std::exchange(ctx.node.new_log_file, false);
  ctx.writeLater(BasicWriteTxn{txn, new_file});
  if (ctx.rules.tail == Tail::logged_later && ctx.node.learns())
    ctx.sendDurable(learner_link, ctx.node.self, Ack{txn.zxid});
}

void append(const IsContext auto& ctx, const IsTxn auto& txn) {
  appendUncounted(ctx, txn);
  if (ctx.config.snap_count > 0 && ++ctx.node.logged_since_snapshot >= ctx.config.snap_count) rollLog(ctx);
}

void forgetUnwritten(const IsContext auto& ctx, Zxid first) {
  auto& log = ctx.node.files.log;
  const auto at =
      std::find_if(log.rbegin(), log.rend(), [first](const auto& txn) { return txn.zxid == first; });
  if (at == log.rend()) return;
  const auto from = at.base() - 1;
  for (auto lost = from; lost != log.end(); ++lost) {
    if (std::erase(ctx.node.files.log_files, lost->zxid) > 0) ctx.node.new_log_file = true;
  }
  log.erase(from, log.end());
}

void apply(const IsContext auto& ctx, const IsTxn auto& txn, AppliedBecause because) {
  auto& node = ctx.node;
  const auto applied = deliver(node, txn);
  if (because != AppliedBecause::synchronized || ctx.rules.committed_log == CommittedLog::all_applied) {
    remember(ctx.config, node, txn);
  }
  if (because == AppliedBecause::committed) knowCommitted(ctx);
  ctx.emit(BasicApplied{txn, because});
  if (because == AppliedBecause::committed) ServiceOf<decltype(ctx)>::onDelivered(ctx, txn, applied);
}

void knowCommitted(const IsContext auto& ctx) {
  auto& node = ctx.node;
  const bool told =
      ctx.rules.leader_tail != LeaderTail::whole || ctx.rules.sync_table == SyncTable::after_committed;
  if (told) node.known_committed = node.history.empty() ? Zxid{} : node.history.back().zxid;
}

template <class S>
void adoptSnapshot(const BasicContext<S>& ctx, const BasicSnapshot<S>& snapshot) {
  awaitSnapshot(ctx);
  ctx.node.history = snapshot.history;
  ctx.node.service = snapshot.service;
  ctx.node.last_processed = snapshot.last;
  ctx.node.committed_log.clear();
  ctx.emit(BasicHistoryLoaded{HistoryReason::snapshot, ctx.node.history});
}

bool canTruncate(const IsContext auto& ctx) {
  const TruncSnapshot rule = ctx.rules.trunc_snapshot;
  const bool needs_log = rule == TruncSnapshot::kept_needs_log || rule == TruncSnapshot::passed_over;
  return !needs_log || !ctx.node.files.log.empty();
}

void truncate(const IsContext auto& ctx, Zxid to) {
  const TruncSnapshot rule = ctx.rules.trunc_snapshot;
  awaitSnapshot(ctx);
  ctx.write(WriteTruncation{to, rule != TruncSnapshot::older});
  ctx.node.new_log_file = true;
  reloadHistory(ctx, HistoryReason::truncated,
                rule == TruncSnapshot::passed_over ? std::optional(to) : std::nullopt);
  ctx.node.last_processed = to;
  if (ctx.node.known_committed) ctx.node.known_committed = std::min(*ctx.node.known_committed, to);
}

void cutOwnTail(const IsContext auto& ctx, Zxid to) {
  auto remembered = ctx.node.committed_log;
  truncate(ctx, to);
  std::erase_if(remembered, [to](const auto& txn) { return txn.zxid > to; });
  ctx.node.committed_log = std::move(remembered);
}

template <class S>
void writeSnapshot(const BasicContext<S>& ctx, bool replaces_log) {
  awaitSnapshot(ctx);
  ctx.write(
      BasicWriteSnapshot<S>{{ctx.node.last_processed, ctx.node.history, ctx.node.service}, replaces_log});
  if (replaces_log) ctx.node.new_log_file = true;
}

void fastForward(const IsContext auto& ctx) {
  const bool queue_lives_on = ctx.rules.tail == Tail::logged_later && ctx.node.learns();
  if (!queue_lives_on) ctx.flush();
  if (ctx.rules.tail == Tail::forgotten) return;
  const auto log = ctx.node.files.log;
  for (auto at = firstAfter(log, ctx.node.last_processed); at != log.end(); ++at) {
    if (queue_lives_on && at->zxid > ctx.node.logged) return;
    apply(ctx, *at, AppliedBecause::tail_of_log);
  }
}

}  // namespace zablab::zab
