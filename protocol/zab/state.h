// A ZooKeeper server's state: what its disk keeps and what its process knows. The process's state is lost
// when the process ends.
#pragma once

#include <array>
#include <map>
#include <optional>
#include <set>
#include <vector>

#include "protocol/zab/config.h"
#include "protocol/zab/messages.h"
#include "protocol/zab/types.h"

namespace zablab::zab {

/// What a data directory holds (version-2/). Missing files are absent values.
template <class S>
struct BasicDurable {
  std::optional<std::int64_t> accepted_epoch;  ///< the last epoch promised to a would-be leader
  std::optional<std::int64_t> current_epoch;   ///< the epoch of the last leader it synchronized with
  std::optional<std::int64_t>
      current_epoch_tmp;                     ///< left over from a crash while currentEpoch was being written
  std::optional<BasicSnapshot<S>> snapshot;  ///< the newest
  Txns<S> log;  ///< what the log files hold, in order, including transactions from before the snapshot
  std::vector<Zxid> log_files;               ///< the first transaction of each log file after the first
  std::optional<std::int64_t> logicalclock;  ///< the last round, where rounds are durable
  bool operator==(const BasicDurable&) const = default;
  BOOST_DESCRIBE_CLASS(BasicDurable, (),
                       (accepted_epoch, current_epoch, current_epoch_tmp, snapshot, log, log_files,
                        logicalclock),
                       (), ())
};

// ---- durable records: the content of one write
struct WriteAcceptedEpoch {
  static constexpr std::string_view name = "acceptedEpoch";
  std::int64_t epoch = 0;
  bool operator==(const WriteAcceptedEpoch&) const = default;
};
BOOST_DESCRIBE_STRUCT(WriteAcceptedEpoch, (), (epoch))

struct WriteCurrentEpoch {
  static constexpr std::string_view name = "currentEpoch";
  std::int64_t epoch = 0;
  bool operator==(const WriteCurrentEpoch&) const = default;
};
BOOST_DESCRIBE_STRUCT(WriteCurrentEpoch, (), (epoch))

template <class S>
struct BasicWriteSnapshot {
  static constexpr std::string_view name = "snapshot";
  BasicSnapshot<S> snapshot;
  bool replaces_log = false;  ///< the log's transactions do not belong to this history and are removed
  bool operator==(const BasicWriteSnapshot&) const = default;
  BOOST_DESCRIBE_CLASS(BasicWriteSnapshot, (), (snapshot, replaces_log), (), ())
};

template <class S>
struct BasicWriteTxn {
  static constexpr std::string_view name = "txn";
  BasicTxn<S> txn;
  bool new_file = false;
  bool operator==(const BasicWriteTxn&) const = default;
  BOOST_DESCRIBE_CLASS(BasicWriteTxn, (), (txn, new_file), (), ())
};
template <class S>
BasicWriteTxn(BasicTxn<S>, bool) -> BasicWriteTxn<S>;

/// Everything after `to` is cut off the log.
struct WriteTruncation {
  static constexpr std::string_view name = "truncation";
  Zxid to;
  bool keeps_snapshot = false;  ///< also one that reaches further; otherwise an older one replaces it
  bool operator==(const WriteTruncation&) const = default;
};
BOOST_DESCRIBE_STRUCT(WriteTruncation, (), (to, keeps_snapshot))

struct WriteLogicalClock {
  static constexpr std::string_view name = "logicalclock";
  std::int64_t logicalclock = 0;
  bool operator==(const WriteLogicalClock&) const = default;
};
BOOST_DESCRIBE_STRUCT(WriteLogicalClock, (), (logicalclock))

template <class S>
using BasicRecord = variant<WriteAcceptedEpoch, WriteCurrentEpoch, BasicWriteSnapshot<S>, BasicWriteTxn<S>,
                            WriteTruncation, WriteLogicalClock>;

enum class TimerKind : std::uint8_t {
  notification_wait,  ///< LOOKING: no notification arrived
  finalize_wait,      ///< LOOKING: a quorum remained unchallenged
  observer_delay,     ///< an observer's pause before it looks again
  connect_retry,      ///< learner: dial the leader again
  leader_limit,       ///< learner: nothing came from the leader
  learner_limit,      ///< leader: nothing came from this learner
  half_tick,          ///< leader: send pings, and at every second one count the live learners
  init_limit,         ///< leader: a quorum has to be present
  ack_limit,          ///< leader: this learner has to acknowledge a proposal
  newleader,          ///< leader: NEWLEADER is next for this learner
  snapshot,           ///< the snapshot that is being written is complete
};
BOOST_DESCRIBE_ENUM(TimerKind, notification_wait, finalize_wait, observer_delay, connect_retry, leader_limit,
                    learner_limit, half_tick, init_limit, ack_limit, newleader, snapshot)

/// How far a learner has got, as its leader sees it.
enum class LearnerStage : std::uint8_t {
  connected,   ///< sent FOLLOWERINFO; the epoch is not fixed yet
  promising,   ///< LEADERINFO was sent to it
  promised,    ///< sent ACKEPOCH; a quorum of promises is not complete yet
  syncing,     ///< what it lacks was sent to it, and NEWLEADER was or will be
  synced,      ///< acknowledged NEWLEADER
  up_to_date,  ///< UPTODATE was sent to it
};
BOOST_DESCRIBE_ENUM(LearnerStage, connected, promising, promised, syncing, synced, up_to_date)

struct Learner {
  bool observer = false;
  LearnerStage stage{};
  Zxid last;                      ///< the end of its history, from its ACKEPOCH
  std::optional<Zxid> committed;  ///< what it knows to be committed, from its ACKEPOCH if that reports it
  std::optional<Zxid> awaited;    ///< the oldest proposal whose acknowledgement is timed
  std::optional<Zxid> latest;     ///< the newest one after it
  bool operator==(const Learner&) const = default;
};
BOOST_DESCRIBE_STRUCT(Learner, (), (observer, stage, last, committed, awaited, latest))

/// A transaction that was proposed and is not committed yet.
template <class S>
struct BasicOutstanding {
  BasicTxn<S> txn;
  std::set<ServerId> acks;
  bool operator==(const BasicOutstanding&) const = default;
  BOOST_DESCRIBE_CLASS(BasicOutstanding, (), (txn, acks), (), ())
};

/// The state of a server's process in every role (QuorumPeer).
template <class S>
struct BasicPeer {
  ServerId self = 0;
  Role role = Role::LOOKING;
  Phase phase = Phase::election;

  BasicDurable<S> files;     ///< the disk as this process sees it: including writes that are not durable yet
  bool new_log_file = true;  ///< the next transaction begins a log file
  std::int64_t logged_since_snapshot = 0;  ///< in this role, where they are counted
  std::optional<Zxid> snapshot_begun;      ///< a snapshot is being written since the history ended here
  Zxid logged;  ///< the last transaction that it knows to be durable, where the end of a role asks for it

  // Delivered, in memory.
  Txns<S> history;            ///< in order
  typename S::State service;  ///< the service's state after them
  Zxid last_processed;    ///< the end of the history; or the epoch's own zxid, if the epoch began and has no
                          ///< transaction
  Txns<S> committed_log;  ///< the newest transactions of the history, for DIFF
  std::optional<Zxid> known_committed;  ///< the last transaction that this process knows to be committed,
                                        ///< where followers report it to their leader

  std::int64_t logicalclock = 0;  ///< the round: counts the calls of lookForLeader since the process started
  Vote current_vote;              ///< the vote of the last election, sent to servers that look

  // While it follows, observes or leads.
  std::int64_t epoch = 0;  ///< the epoch that is led or followed; 0 until it is known
  std::optional<ServerId> leader;

  bool operator==(const BasicPeer&) const = default;
  BOOST_DESCRIBE_CLASS(BasicPeer, (),
                       (self, role, phase, files, new_log_file, logged_since_snapshot, snapshot_begun, logged,
                        history, service, last_processed, committed_log, known_committed, logicalclock,
                        current_vote, epoch, leader),
                       (), ())
};

/// The state while it looks for a leader (FastLeaderElection, lookForLeader).
struct Election {
  Vote proposal;
  std::map<ServerId, Ballot> recvset;        ///< last vote of each server in this round
  std::map<ServerId, Ballot> outofelection;  ///< votes of servers that lead or follow
  bool finalizing = false;                   ///< a quorum agrees; waiting for a better vote
  bool delayed = false;                      ///< an observer that has not started to look yet
  std::int64_t doublings = 0;                ///< how often the wait for a notification was doubled
  bool operator==(const Election&) const = default;
};
BOOST_DESCRIBE_STRUCT(Election, (), (proposal, recvset, outofelection, finalizing, delayed, doublings))

/// The state while it follows or observes (Learner).
template <class S>
struct BasicLearning {
  std::int64_t refusals = 0;  ///< dials of the leader that were refused
  SyncMode sync = SyncMode::NONE;
  bool newleader_acked = false;
  Txns<S> packets_not_logged;           ///< received in synchronization, neither logged nor applied
  std::vector<Zxid> packets_committed;  ///< committed in synchronization, not applied
  Txns<S> pending_txns;                 ///< logged, not committed
  bool operator==(const BasicLearning&) const = default;
  BOOST_DESCRIBE_CLASS(BasicLearning, (),
                       (refusals, sync, newleader_acked, packets_not_logged, packets_committed, pending_txns),
                       (), ())
};

/// The state while it leads (Leader).
template <class S>
struct BasicLeading {
  std::map<ServerId, Learner> learners;     ///< connected learners heard from in time
  bool half_tick = false;                   ///< the next half tick completes a tick
  std::set<ServerId> connecting_followers;  ///< voters whose accepted epoch counts in the new one
  bool epoch_fixed = false;
  std::set<ServerId> electing_followers;  ///< voters that promised to follow in the new epoch
  bool promised = false;                  ///< they are a quorum
  std::set<ServerId> newleader_acks;
  Zxid last_proposed;
  Zxid last_committed;
  std::vector<BasicOutstanding<S>> outstanding_proposals;
  bool log_failed = false;  ///< its log could not be written: it still leads, but commits and serves nothing
  bool operator==(const BasicLeading&) const = default;
  BOOST_DESCRIBE_CLASS(BasicLeading, (),
                       (learners, half_tick, connecting_followers, epoch_fixed, electing_followers, promised,
                        newleader_acks, last_proposed, last_committed, outstanding_proposals, log_failed),
                       (), ())
};

/// A server's process. A family's node has it as its base, and adds what its service keeps. The parts of
/// roles that it is not in have their initial values (roles.h).
template <class S>
struct BasicServer : BasicPeer<S>, Election, BasicLearning<S>, BasicLeading<S> {
  bool operator==(const BasicServer&) const = default;

  std::int64_t acceptedEpoch() const { return this->files.accepted_epoch.value_or(0); }
  std::int64_t currentEpoch() const { return this->files.current_epoch.value_or(0); }
  bool learns() const { return this->role == Role::FOLLOWING || this->role == Role::OBSERVING; }
  bool serves() const { return this->role != Role::LOOKING && this->phase == Phase::broadcast; }
  static constexpr std::array former{Renamed{"round", "logicalclock"},
                                     Renamed{"box", "recvset"},
                                     Renamed{"established", "outofelection"},
                                     Renamed{"unlogged", "packets_not_logged"},
                                     Renamed{"to_commit", "packets_committed"},
                                     Renamed{"pending", "pending_txns"},
                                     Renamed{"connecting", "connecting_followers"},
                                     Renamed{"electing", "electing_followers"},
                                     Renamed{"outstanding", "outstanding_proposals"}};
  BOOST_DESCRIBE_CLASS(BasicServer, (BasicPeer<S>, Election, BasicLearning<S>, BasicLeading<S>), (), (), ())
};

}  // namespace zablab::zab
