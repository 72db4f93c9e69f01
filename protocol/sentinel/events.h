// What the steps of a node make observable. The kinds follow the names of Sentinel's own events.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "protocol/sentinel/messages.h"
#include "protocol/variant.h"

namespace zablab::sentinel {

/// +sdown, -sdown.
struct SubjectivelyDown {
  static constexpr std::string_view name = "sdown";
  ServerId instance = no_server;
  bool down = false;
  bool master = false;  ///< it is the master
  bool operator==(const SubjectivelyDown&) const = default;
};
BOOST_DESCRIBE_STRUCT(SubjectivelyDown, (), (instance, down, master))

/// +odown, -odown. `by`: the sentinels that see the master down.
struct ObjectivelyDown {
  static constexpr std::string_view name = "odown";
  bool down = false;
  std::vector<ServerId> by;
  bool operator==(const ObjectivelyDown&) const = default;
};
BOOST_DESCRIBE_STRUCT(ObjectivelyDown, (), (down, by))

struct NewEpoch {
  static constexpr std::string_view name = "new_epoch";
  std::int64_t epoch = 0;
  bool operator==(const NewEpoch&) const = default;
};
BOOST_DESCRIBE_STRUCT(NewEpoch, (), (epoch))

struct TryFailover {
  static constexpr std::string_view name = "try_failover";
  std::int64_t epoch = 0;
  bool operator==(const TryFailover&) const = default;
};
BOOST_DESCRIBE_STRUCT(TryFailover, (), (epoch))

/// "Next failover delay": it does not start a failover yet.
struct FailoverDelayed {
  static constexpr std::string_view name = "failover_delayed";
  bool operator==(const FailoverDelayed&) const = default;
};
BOOST_DESCRIBE_STRUCT(FailoverDelayed, (), ())

enum class VoteReason : std::uint8_t {
  first_to_ask,
  repeated,      ///< it has voted for this candidate in this epoch before
  other_leader,  ///< it has voted for another one in this epoch
  older_epoch,   ///< it has voted in a later epoch, or knows one
  forgotten,     ///< it has voted in this epoch, and has forgotten for whom
};
BOOST_DESCRIBE_ENUM(VoteReason, first_to_ask, repeated, other_leader, older_epoch, forgotten)

/// +vote-for-leader if it is granted. `vote`: what it says to the candidate.
struct VoteDecided {
  static constexpr std::string_view name = "vote";
  ServerId candidate = no_server;
  std::int64_t epoch = 0;
  bool granted = false;
  VoteReason reason{};
  Vote vote;
  bool operator==(const VoteDecided&) const = default;
};
BOOST_DESCRIBE_STRUCT(VoteDecided, (), (candidate, epoch, granted, reason, vote))

/// "peer voted for": what another sentinel has answered.
struct PeerVoted {
  static constexpr std::string_view name = "peer_voted";
  ServerId peer = no_server;
  Vote vote;
  bool operator==(const PeerVoted&) const = default;
};
BOOST_DESCRIBE_STRUCT(PeerVoted, (), (peer, vote))

/// +elected-leader. `votes_epoch`: the epoch of the votes that were counted; `epoch`: the attempt's.
struct Elected {
  static constexpr std::string_view name = "elected";
  std::int64_t epoch = 0;
  std::int64_t votes_epoch = 0;
  std::vector<ServerId> by;
  std::int64_t voters = 0;  ///< how many sentinels it counts
  bool operator==(const Elected&) const = default;
};
BOOST_DESCRIBE_STRUCT(Elected, (), (epoch, votes_epoch, by, voters))

struct FailoverStateChanged {
  static constexpr std::string_view name = "failover_state";
  FailoverState state{};
  bool operator==(const FailoverStateChanged&) const = default;
};
BOOST_DESCRIBE_STRUCT(FailoverStateChanged, (), (state))

enum class AbortReason : std::uint8_t {
  not_elected,
  epoch_is_over,  ///< there is a later epoch than the attempt's
  no_good_replica,
  replica_timeout,  ///< the replica was not promoted in time
};
BOOST_DESCRIBE_ENUM(AbortReason, not_elected, epoch_is_over, no_good_replica, replica_timeout)

struct FailoverAborted {
  static constexpr std::string_view name = "failover_aborted";
  std::int64_t epoch = 0;
  AbortReason reason{};
  bool operator==(const FailoverAborted&) const = default;
};
BOOST_DESCRIBE_STRUCT(FailoverAborted, (), (epoch, reason))

/// A replica that may be promoted.
struct Candidate {
  ServerId id = no_server;
  std::int64_t priority = 0;
  std::int64_t offset = 0;
  bool operator==(const Candidate&) const = default;
};
BOOST_DESCRIBE_STRUCT(Candidate, (), (id, priority, offset))

struct ReplicaSelected {
  static constexpr std::string_view name = "selected_replica";
  ServerId replica = no_server;
  std::vector<Candidate> among;
  bool operator==(const ReplicaSelected&) const = default;
};
BOOST_DESCRIBE_STRUCT(ReplicaSelected, (), (replica, among))

/// +promoted-slave: the new configuration exists.
struct Promoted {
  static constexpr std::string_view name = "promoted_replica";
  ServerId replica = no_server;
  std::int64_t config_epoch = 0;
  bool operator==(const Promoted&) const = default;
};
BOOST_DESCRIBE_STRUCT(Promoted, (), (replica, config_epoch))

/// +role-change, -role-change. `expected`: it has the role that it should have.
struct RoleReported {
  static constexpr std::string_view name = "role_reported";
  ServerId instance = no_server;
  RedisRole role{};
  bool expected = false;
  bool operator==(const RoleReported&) const = default;
};
BOOST_DESCRIBE_STRUCT(RoleReported, (), (instance, role, expected))

/// +slave-reconf-sent, -inprog, -done. `timed_out`: it is counted as done without having been.
struct ReplicaReconf {
  static constexpr std::string_view name = "replica_reconf";
  ServerId replica = no_server;
  Reconf reconf{};
  bool timed_out = false;
  bool operator==(const ReplicaReconf&) const = default;
};
BOOST_DESCRIBE_STRUCT(ReplicaReconf, (), (replica, reconf, timed_out))

struct FailoverEnded {
  static constexpr std::string_view name = "failover_end";
  bool timed_out = false;
  bool operator==(const FailoverEnded&) const = default;
};
BOOST_DESCRIBE_STRUCT(FailoverEnded, (), (timed_out))

/// +config-update-from.
struct ConfigUpdated {
  static constexpr std::string_view name = "config_update";
  ServerId from = no_server;
  std::int64_t config_epoch = 0;
  ServerId master = no_server;
  bool operator==(const ConfigUpdated&) const = default;
};
BOOST_DESCRIBE_STRUCT(ConfigUpdated, (), (from, config_epoch, master))

struct SwitchMaster {
  static constexpr std::string_view name = "switch_master";
  ServerId from = no_server;
  ServerId to = no_server;
  std::int64_t config_epoch = 0;
  bool operator==(const SwitchMaster&) const = default;
};
BOOST_DESCRIBE_STRUCT(SwitchMaster, (), (from, to, config_epoch))

/// +convert-to-slave, +fix-slave-config: a Redis server that does not obey the configuration is told.
enum class Correction : std::uint8_t { convert_to_replica, fix_master };
BOOST_DESCRIBE_ENUM(Correction, convert_to_replica, fix_master)

struct Corrected {
  static constexpr std::string_view name = "corrected";
  ServerId instance = no_server;
  Correction correction{};
  ServerId master = no_server;
  bool operator==(const Corrected&) const = default;
};
BOOST_DESCRIBE_STRUCT(Corrected, (), (instance, correction, master))

struct SentinelFound {
  static constexpr std::string_view name = "sentinel_found";
  ServerId sentinel = no_server;
  bool operator==(const SentinelFound&) const = default;
};
BOOST_DESCRIBE_STRUCT(SentinelFound, (), (sentinel))

struct TiltChanged {
  static constexpr std::string_view name = "tilt";
  bool on = false;
  bool operator==(const TiltChanged&) const = default;
};
BOOST_DESCRIBE_STRUCT(TiltChanged, (), (on))

/// A Redis server has a role: it was told, or it has started. `offset`: how many writes it has.
struct RoleChanged {
  static constexpr std::string_view name = "role";
  RedisRole to{};
  bool started = false;
  ServerId master = no_server;
  std::int64_t offset = 0;
  bool operator==(const RoleChanged&) const = default;
};
BOOST_DESCRIBE_STRUCT(RoleChanged, (), (to, started, master, offset))

/// A replica has its master's data. `discarded`: how many of its own writes the master does not have.
struct Synced {
  static constexpr std::string_view name = "synced_with_master";
  ServerId master = no_server;
  std::int64_t offset = 0;
  std::int64_t discarded = 0;
  bool operator==(const Synced&) const = default;
};
BOOST_DESCRIBE_STRUCT(Synced, (), (master, offset, discarded))

/// How a client's request ended, as the client sees it. `server`, `offset`: of the server that accepted it.
/// `value`: the write that is read; 0: there is none.
struct Answered {
  static constexpr std::string_view name = "answered";
  Operation operation{};
  std::int64_t number = 0;
  Outcome outcome{};
  ServerId server = no_server;
  std::int64_t offset = 0;
  std::int64_t value = 0;
  bool operator==(const Answered&) const = default;
};
BOOST_DESCRIBE_STRUCT(Answered, (), (operation, number, outcome, server, offset, value))

using Event = variant<SubjectivelyDown, ObjectivelyDown, NewEpoch, TryFailover, FailoverDelayed, VoteDecided,
                      PeerVoted, Elected, FailoverStateChanged, FailoverAborted, ReplicaSelected, Promoted,
                      RoleReported, ReplicaReconf, FailoverEnded, ConfigUpdated, SwitchMaster, Corrected,
                      SentinelFound, TiltChanged, RoleChanged, Synced, Answered>;

}  // namespace zablab::sentinel
