// A ZooKeeper server's state: what its disk keeps and what its process knows. What is in a process dies with
// it.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <vector>

#include "protocol/zab/config.h"
#include "protocol/zab/types.h"

namespace zablab::zab {

/// What a data directory holds (version-2/). Missing files are absent values.
struct Durable {
  std::optional<std::int64_t> accepted_epoch;  ///< the last epoch promised to a would-be leader
  std::optional<std::int64_t> current_epoch;   ///< the epoch of the last leader it synchronized with
  std::optional<std::int64_t>
      current_epoch_tmp;         ///< left over from a crash while currentEpoch was being written
  std::optional<Zxid> snapshot;  ///< the newest snapshot's last transaction
  std::vector<Zxid> log;         ///< transactions logged after the snapshot, in order
  bool operator==(const Durable&) const = default;
};
BOOST_DESCRIBE_STRUCT(Durable, (), (accepted_epoch, current_epoch, current_epoch_tmp, snapshot, log))

// ---- durable records: what one write says
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

struct WriteSnapshot {
  static constexpr std::string_view name = "snapshot";
  Zxid last;
  bool operator==(const WriteSnapshot&) const = default;
};
BOOST_DESCRIBE_STRUCT(WriteSnapshot, (), (last))

using Record = std::variant<WriteAcceptedEpoch, WriteCurrentEpoch, WriteSnapshot>;

enum class TimerKind : std::uint8_t {
  notification_wait,  ///< LOOKING: no notification came
  finalize_wait,      ///< LOOKING: a quorum stayed unchallenged
  observer_delay,     ///< an observer's pause before it looks again
  connect_retry,      ///< learner: dial the leader again
  leader_limit,       ///< learner: nothing came from the leader
  learner_limit,      ///< leader: nothing came from this learner
  half_tick,          ///< leader: ping, and at every second one count who is alive
  init_limit,         ///< leader: a quorum has to be there
};
BOOST_DESCRIBE_ENUM(TimerKind, notification_wait, finalize_wait, observer_delay, connect_retry, leader_limit,
                    learner_limit, half_tick, init_limit)

/// A server's process.
struct Node {
  ServerId self = 0;
  Role role = Role::LOOKING;
  Phase phase = Phase::election;

  // As on disk.
  std::int64_t accepted_epoch = 0;
  std::int64_t current_epoch = 0;
  Zxid last_logged;
  Zxid last_snapshot;

  // Election, valid in every role.
  std::int64_t round = 0;  ///< logicalclock: counts the calls of lookForLeader since the process started
  Vote current_vote;       ///< the vote of the last election, told to those who look

  // Election, valid while LOOKING.
  Vote proposal;
  std::map<ServerId, Ballot> box;          ///< last vote of each server in this round (recvset)
  std::map<ServerId, Ballot> established;  ///< votes of servers that lead or follow (outofelection)
  bool finalizing = false;                 ///< a quorum agrees; waiting whether anything better comes
  bool delayed = false;                    ///< an observer that has not begun to look yet
  std::int64_t doublings = 0;              ///< of the wait for a notification

  // Learner, valid while FOLLOWING or OBSERVING.
  std::optional<ServerId> leader;
  std::int64_t refusals = 0;  ///< dials of the leader that were refused

  // Leader, valid while LEADING.
  std::set<ServerId> learners;  ///< connected, and heard from in time
  bool half_tick = false;       ///< the next half tick completes a tick

  bool operator==(const Node&) const = default;
};
BOOST_DESCRIBE_STRUCT(Node, (),
                      (self, role, phase, accepted_epoch, current_epoch, last_logged, last_snapshot, round,
                       current_vote, proposal, box, established, finalizing, delayed, doublings, leader,
                       refusals, learners, half_tick))

}  // namespace zablab::zab
