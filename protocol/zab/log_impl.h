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
void deliver(BasicServer<S>& node, const BasicTxn<S>& txn) {
  node.history.push_back(txn);
  S::apply(node.service, txn.zxid, txn.payload);
  node.last_processed = txn.zxid;
}

/// The first transaction of the log that comes after `last`. What stands behind it is read whatever it is.
template <class S>
auto firstAfter(const Txns<S>& log, Zxid last) {
  return std::find_if(log.begin(), log.end(), [last](const auto& txn) { return txn.zxid > last; });
}

/// Removes everything after `to` from a disk. A snapshot that reaches further goes back as well, for older
/// ones are kept; or it stays.
template <class S>
void cutOff(BasicDurable<S>& disk, const WriteTruncation& write) {
  const Zxid to = write.to;
  const auto beyond = [to](const auto& txn) { return txn.zxid > to; };
  std::erase_if(disk.log, beyond);
  std::erase_if(disk.log_files, [to](Zxid first) { return first > to; });
  if (!disk.snapshot || disk.snapshot->last <= to || write.keeps_snapshot) return;
  std::erase_if(disk.snapshot->history, beyond);
  disk.snapshot->last = to;
  disk.snapshot->service = stateAfter<S>(disk.snapshot->history);
}

/// The log goes on in a new file, and what has been applied by now becomes the newest snapshot. What was
/// logged comes first onto the disk.
void rollLog(const IsContext auto& in) {
  in.node.logged_since_snapshot = 0;
  in.node.new_log_file = true;
  in.flush();
  writeSnapshot(in, false);
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
                 [&](const WriteRound& write) { disk.round = write.round; },
             },
             record);
}

// An unfinished snapshot or transaction is not read; an epoch's file is written beside the old one and
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

void reloadHistory(const IsContext auto& in, HistoryReason reason) {
  readHistory(in.config, in.node);
  in.emit(BasicHistoryLoaded{reason, in.node.history});
}

void append(const IsContext auto& in, const IsTxn auto& txn) {
  const bool new_file = std::exchange(in.node.new_log_file, false);
  in.writeLater(BasicWriteTxn{txn, new_file});
  if (in.rules.tail == Tail::logged_later && in.node.learns())
    in.sendDurable(learner_link, in.node.self, Ack{txn.zxid});
  if (in.config.snap_count > 0 && ++in.node.logged_since_snapshot >= in.config.snap_count) rollLog(in);
}

void forgetUnwritten(const IsContext auto& in, Zxid first) {
  auto& log = in.node.files.log;
  const auto at =
      std::find_if(log.rbegin(), log.rend(), [first](const auto& txn) { return txn.zxid == first; });
  if (at == log.rend()) return;
  const auto from = at.base() - 1;
  for (auto lost = from; lost != log.end(); ++lost) {
    if (std::erase(in.node.files.log_files, lost->zxid) > 0) in.node.new_log_file = true;
  }
  log.erase(from, log.end());
}

void apply(const IsContext auto& in, const IsTxn auto& txn, AppliedBecause because) {
  auto& node = in.node;
  deliver(node, txn);
  if (because != AppliedBecause::synchronized || in.rules.committed_log == CommittedLog::all_applied) {
    remember(in.config, node, txn);
  }
  if (because == AppliedBecause::committed) knowCommitted(in);
  in.emit(BasicApplied{txn, because});
  if (because == AppliedBecause::committed) ServiceOf<decltype(in)>::onDelivered(in, txn);
}

void knowCommitted(const IsContext auto& in) {
  auto& node = in.node;
  const bool told =
      in.rules.leader_tail != LeaderTail::whole || in.rules.sync_table == SyncTable::after_committed;
  if (told) node.known_committed = node.history.empty() ? Zxid{} : node.history.back().zxid;
}

template <class S>
void adoptSnapshot(const BasicContext<S>& in, const BasicSnapshot<S>& snapshot) {
  in.node.history = snapshot.history;
  in.node.service = snapshot.service;
  in.node.last_processed = snapshot.last;
  in.node.committed_log.clear();
  in.emit(BasicHistoryLoaded{HistoryReason::snapshot, in.node.history});
}

bool canTruncate(const IsContext auto& in) {
  return in.rules.trunc_snapshot != TruncSnapshot::kept_needs_log || !in.node.files.log.empty();
}

void truncate(const IsContext auto& in, Zxid to) {
  in.write(WriteTruncation{to, in.rules.trunc_snapshot != TruncSnapshot::older});
  in.node.new_log_file = true;
  reloadHistory(in, HistoryReason::truncated);
  in.node.last_processed = to;
  if (in.node.known_committed) in.node.known_committed = std::min(*in.node.known_committed, to);
}

void cutOwnTail(const IsContext auto& in, Zxid to) {
  auto remembered = in.node.committed_log;
  truncate(in, to);
  std::erase_if(remembered, [to](const auto& txn) { return txn.zxid > to; });
  in.node.committed_log = std::move(remembered);
}

template <class S>
void writeSnapshot(const BasicContext<S>& in, bool replaces_log) {
  in.write(BasicWriteSnapshot<S>{{in.node.last_processed, in.node.history, in.node.service}, replaces_log});
  if (replaces_log) in.node.new_log_file = true;
}

void fastForward(const IsContext auto& in) {
  const bool queue_lives_on = in.rules.tail == Tail::logged_later && in.node.learns();
  if (!queue_lives_on) in.flush();
  if (in.rules.tail == Tail::forgotten) return;
  const auto log = in.node.files.log;
  for (auto at = firstAfter(log, in.node.last_processed); at != log.end(); ++at) {
    if (queue_lives_on && at->zxid > in.node.logged) return;
    apply(in, *at, AppliedBecause::tail_of_log);
  }
}

}  // namespace zablab::zab
