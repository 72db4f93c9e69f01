// The history of a server: its log and snapshot on disk, and the same in memory. A node's `files` is the disk
// as the process sees it; every write passes through here or through BasicContext::write.
#pragma once

#include "protocol/zab/context.h"

namespace zablab::zab {

/// The state that the transactions lead to in a service, from its initial state.
template <class S>
typename S::State stateAfter(const Txns<S>& history) {
  typename S::State state{};
  for (const auto& txn : history) S::apply(state, txn.zxid, txn.payload);
  return state;
}

/// Reads the history from the files: the snapshot, then every transaction logged after it, committed or not
/// (ZKDatabase.loadDataBase). With `newest`, snapshots named after a later transaction are passed over.
void readHistory(const Config& config, auto& node, std::optional<Zxid> newest = std::nullopt);

/// The same, and emits the event. A snapshot that is being written is of the memory before; it is complete
/// first.
void reloadHistory(const IsContext auto& ctx, HistoryReason reason,
                   std::optional<Zxid> newest = std::nullopt);

/// Hands a transaction to the log's thread: it becomes durable later. At intervals a snapshot follows
/// (SyncRequestProcessor).
void append(const IsContext auto& ctx, const IsTxn auto& txn);
/// The same, but no snapshot follows (ZKDatabase.append).
void appendUncounted(const IsContext auto& ctx, const IsTxn auto& txn);

/// A write failed: the log ends before this transaction.
void forgetUnwritten(const IsContext auto& ctx, Zxid first);

/// Makes a transaction part of the history in memory, and notifies the service.
void apply(const IsContext auto& ctx, const IsTxn auto& txn, AppliedBecause because);

/// The whole history is known to be committed. Recorded only under rules by which followers report it to
/// their leader.
void knowCommitted(const IsContext auto& ctx);

/// Replaces the history in memory by a leader's.
template <class S>
void adoptSnapshot(const BasicContext<S>& ctx, const BasicSnapshot<S>& snapshot);

/// Whether there is anything to truncate (FileTxnLog.truncate).
bool canTruncate(const IsContext auto& ctx);

/// Cuts everything after `to` off the log and reads the history again (FileTxnLog.truncate). Waits for a
/// snapshot that is being written: FileSnap's close and serialize are synchronized.
void truncate(const IsContext auto& ctx, Zxid to);
/// The same for a leader's own log; what it keeps in memory for DIFF remains, up to `to`.
void cutOwnTail(const IsContext auto& ctx, Zxid to);

/// Writes the history as a snapshot.
template <class S>
void writeSnapshot(const BasicContext<S>& ctx, bool replaces_log);

/// What began when `snapshot_begun` was the end of the history is written, with everything that was applied
/// since (ZooKeeperServer.takeSnapshot, in a thread of its own).
void completeSnapshot(const IsContext auto& ctx);

/// A role ends while a snapshot is being written.
void endSnapshotWithRole(const IsContext auto& ctx);

/// Flushes the log, and applies what it has beyond the history (ZooKeeperServer.fastForwardDataBase); or
/// applies what is durable, and the rest is logged later.
void fastForward(const IsContext auto& ctx);

}  // namespace zablab::zab
