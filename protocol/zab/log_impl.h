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

/// Removes everything after `to` from a disk. A snapshot that reaches further is replaced by an older one,
/// since older ones are kept; or it remains. Its name does not tell how far it reaches: it also has what was
/// applied while it was written.
template <class S>
void cutOff(BasicDurable<S>& disk, const WriteTruncation& write) {
  const Zxid to = write.to;
  const auto beyond = [to](const auto& txn) { return txn.zxid > to; };
  std::erase_if(disk.log, beyond);
  std::erase_if(disk.log_files, [to](Zxid first) { return first > to; });
  if (!disk.snapshot || write.keeps_snapshot) return;
  std::erase_if(disk.snapshot->history, beyond);
  disk.snapshot->last = std::min(disk.snapshot->last, to);
  disk.snapshot->service = stateAfter<S>(disk.snapshot->history);
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

template <class S>
void BasicFamily<S>::write(Durable& disk, const Record& record) {
  std::visit(Overloaded{
                 [&](const WriteAcceptedEpoch& write) { disk.accepted_epoch = write.epoch; },
                 [&](const WriteCurrentEpoch& write) {
                   disk.current_epoch = write.epoch;
                   disk.current_epoch_tmp.reset();
                 },
                 [&](const BasicWriteSnapshot<S>& write) {
                   disk.snapshot = write.snapshot;
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
  if (const auto* write = std::get_if<WriteCurrentEpoch>(&record)) disk.current_epoch_tmp = write->epoch;
}

void readHistory(const Config& config, auto& node) {
  node.committed_log.clear();
  node.history.clear();
  node.service = {};
  node.last_processed = {};
  if (node.files.snapshot) {
    node.history = node.files.snapshot->history;
    node.service = node.files.snapshot->service;
    node.last_processed = node.files.snapshot->last;
  }
  const auto& log = node.files.log;
  for (auto at = firstAfter(log, node.last_processed); at != log.end(); ++at) {
    deliver(node, *at);
    remember(config, node, *at);
  }
}

void reloadHistory(const IsContext auto& ctx, HistoryReason reason) {
  readHistory(ctx.config, ctx.node);
  ctx.emit(BasicHistoryLoaded{reason, ctx.node.history});
}

void append(const IsContext auto& ctx, const IsTxn auto& txn) {
  const bool new_file = std::exchange(ctx.node.new_log_file, false);
  ctx.writeLater(BasicWriteTxn{txn, new_file});
  if (ctx.rules.tail == Tail::logged_later && ctx.node.learns())
    ctx.sendDurable(learner_link, ctx.node.self, Ack{txn.zxid});
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
  ctx.node.history = snapshot.history;
  ctx.node.service = snapshot.service;
  ctx.node.last_processed = snapshot.last;
  ctx.node.committed_log.clear();
  ctx.emit(BasicHistoryLoaded{HistoryReason::snapshot, ctx.node.history});
}

bool canTruncate(const IsContext auto& ctx) {
  return ctx.rules.trunc_snapshot != TruncSnapshot::kept_needs_log || !ctx.node.files.log.empty();
}

void truncate(const IsContext auto& ctx, Zxid to) {
  ctx.write(WriteTruncation{to, ctx.rules.trunc_snapshot != TruncSnapshot::older});
  ctx.node.new_log_file = true;
  reloadHistory(ctx, HistoryReason::truncated);
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
