// What real ZooKeeper servers did, according to recordings: calls of lookForLeader and synchronization
// decisions. The fields and their names are those of the files; recordings/README.md explains them. Times are
// milliseconds of the recording's own clock.
#pragma once

#include <array>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "checker/zab/unread_service.h"
#include "protocol/zab/config.h"
#include "sim/json.h"

namespace zablab::zab {

/// A zxid as ZooKeeper logs it: `"0x100000003"`.
struct LoggedZxid {
  Zxid value;
};

// Structs that are written as arrays of their fields, in order.

struct HeardRow {
  static constexpr bool is_row = true;
  Millis t = 0;
  ServerId from = 0;
  Role state{};
  ServerId leader = 0;
  std::int64_t round = 0;
  std::int64_t peer_epoch = 0;
  LoggedZxid zxid;

  Notification notification() const { return {state, {leader, zxid.value, peer_epoch, round}}; }
};
BOOST_DESCRIBE_STRUCT(HeardRow, (), (t, from, state, leader, round, peer_epoch, zxid))

struct OwnRow {
  static constexpr bool is_row = true;
  ServerId leader = 0;
  LoggedZxid zxid;
  std::int64_t peer_epoch = 0;
};
BOOST_DESCRIBE_STRUCT(OwnRow, (), (leader, zxid, peer_epoch))

struct BroadcastRow {
  static constexpr bool is_row = true;
  ServerId leader = 0;
  LoggedZxid zxid;
  std::int64_t peer_epoch = 0;
  std::int64_t round = 0;

  Vote vote() const { return {leader, zxid.value, peer_epoch, round}; }
};
BOOST_DESCRIBE_STRUCT(BroadcastRow, (), (leader, zxid, peer_epoch, round))

struct TimeoutRow {
  static constexpr bool is_row = true;
  Millis t = 0;
  Millis next_wait_ms = 0;
};
BOOST_DESCRIBE_STRUCT(TimeoutRow, (), (t, next_wait_ms))

struct ResultRow {
  static constexpr bool is_row = true;
  ServerId leader = 0;
  LoggedZxid zxid;
  Role state{};
};
BOOST_DESCRIBE_STRUCT(ResultRow, (), (leader, zxid, state))

/// One call of lookForLeader of one server.
struct ElectionCall {
  std::string scenario;
  ServerId sid = 0;
  bool voter = true;
  Millis t = 0;
  std::optional<Millis> t_end;
  OwnRow own;
  std::int64_t round = 0;
  std::vector<HeardRow> received;                 ///< what arrived in the election's queue, in order
  std::vector<BroadcastRow> proposals_broadcast;  ///< successive ones that differ
  std::int64_t broadcasts = 0;                    ///< including repetitions
  std::vector<TimeoutRow> timeouts;
  std::optional<ResultRow> result;  ///< absent: the server was killed before
  std::optional<Millis> duration_ms;
  std::vector<ServerId> voters;
  std::vector<ServerId> observers;
  std::vector<std::vector<ServerId>> groups;
  std::map<ServerId, std::int64_t> weights;
  Millis min_ms = 200;
  Millis max_ms = 60'000;
  static constexpr std::array required{"scenario",   "sid",       "voter",
                                       "t",          "t_end",     "own",
                                       "round",      "received",  "proposals_broadcast",
                                       "broadcasts", "timeouts",  "result",
                                       "voters",     "observers", "groups",
                                       "weights",    "min_ms",    "max_ms"};
};
BOOST_DESCRIBE_STRUCT(ElectionCall, (),
                      (scenario, sid, voter, t, t_end, own, round, received, proposals_broadcast, broadcasts,
                       timeouts, result, duration_ms, voters, observers, groups, weights, min_ms, max_ms))

/// Consecutive zxids, both ends included.
struct ZxidRun {
  static constexpr bool is_row = true;
  LoggedZxid first;
  LoggedZxid last;
};
BOOST_DESCRIBE_STRUCT(ZxidRun, (), (first, last))

struct SentRow {
  static constexpr bool is_row = true;
  SyncMode op{};
  LoggedZxid zxid;
};
BOOST_DESCRIBE_STRUCT(SentRow, (), (op, zxid))

struct TxnLogFiles {
  bool usable = false;  ///< whether the size test of synchronization from disk is passed
  std::vector<ZxidRun> zxids;
  static constexpr std::array required{"usable", "zxids"};
};
BOOST_DESCRIBE_STRUCT(TxnLogFiles, (), (usable, zxids))

/// How one leader synchronized one learner.
struct SyncDecision {
  std::string scenario;
  ServerId leader = 0;
  ServerId learner = 0;
  bool voter = true;
  LoggedZxid minCommittedLog;
  LoggedZxid maxCommittedLog;
  LoggedZxid lastProcessedZxid;
  LoggedZxid peerLastZxid;
  SentRow sent;
  std::int64_t proposals_before_NEWLEADER = 0;
  std::optional<ZxidRun> first_last;
  std::int64_t commits_before_NEWLEADER = 0;
  std::vector<ZxidRun> committedLog;
  TxnLogFiles txnLog;
  bool reconstructed = false;  ///< committedLog and txnLog were reconstructed afterwards
  bool truncated = false;      ///< the recording of packets stopped early
  static constexpr std::array required{"scenario",
                                       "leader",
                                       "learner",
                                       "voter",
                                       "minCommittedLog",
                                       "maxCommittedLog",
                                       "lastProcessedZxid",
                                       "peerLastZxid",
                                       "sent",
                                       "proposals_before_NEWLEADER",
                                       "first_last",
                                       "commits_before_NEWLEADER",
                                       "committedLog",
                                       "txnLog",
                                       "reconstructed",
                                       "truncated"};
};
BOOST_DESCRIBE_STRUCT(SyncDecision, (),
                      (scenario, leader, learner, voter, minCommittedLog, maxCommittedLog, lastProcessedZxid,
                       peerLastZxid, sent, proposals_before_NEWLEADER, first_last, commits_before_NEWLEADER,
                       committedLog, txnLog, reconstructed, truncated))

/// Read and check a recording. Throw InputError if a field is missing, contradicts another one or names an
/// unknown server, or if times run backwards.
std::vector<ElectionCall> readElectionCalls(const JsonValue& document);
std::vector<SyncDecision> readSyncDecisions(const JsonValue& document);

/// The configuration under which the call was made.
Config configOf(const ElectionCall& call);

/// Every zxid of the runs, as transactions.
Txns<Unread> transactions(const std::vector<ZxidRun>& runs);

}  // namespace zablab::zab
