// The history of a server: its log and snapshot on disk, and the same in memory. `files` of a node is the
// disk as the process sees it; every write goes through here or through Context::write.
#pragma once

#include "protocol/zab/context.h"

namespace zablab::zab {

/// Reads the history from the files: the snapshot, then every transaction logged after it, committed or not
/// (ZKDatabase.loadDataBase).
void readHistory(const Config& config, Node& node);

/// The same, said.
void reloadHistory(const Context& in, HistoryReason reason);

/// Hands a transaction to the log's thread: it becomes durable later. Every so often a snapshot follows
/// (SyncRequestProcessor).
void append(const Context& in, const Txn& txn);

/// A write failed: the log ends before this transaction.
void forgetUnwritten(const Context& in, Zxid first);

/// Makes a transaction part of the history in memory, and answers the client that waits for it here.
void apply(const Context& in, const Txn& txn, AppliedBecause because);

/// The whole history is known to be committed. Noted only under rules by which followers tell their leader.
void knowCommitted(const Context& in);

/// Replaces the history in memory by a leader's.
void adoptSnapshot(const Context& in, const Snapshot& snapshot);

/// Whether there is anything to truncate (FileTxnLog.truncate).
bool canTruncate(const Context& in);

/// Cuts everything after `to` off the log and reads the history again (FileTxnLog.truncate).
void truncate(const Context& in, Zxid to);
/// The same for a leader's own log; what it remembers for DIFF stays, up to `to`.
void cutOwnTail(const Context& in, Zxid to);

/// Writes the history as a snapshot.
void writeSnapshot(const Context& in, bool replaces_log);

/// Flushes the log, and applies what it has beyond the history (ZooKeeperServer.fastForwardDataBase); or
/// applies what is durable, and the rest is logged later.
void fastForward(const Context& in);

}  // namespace zablab::zab
