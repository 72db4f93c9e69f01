// What steps make observable. Decisions carry their reason.
#pragma once

#include <boost/describe.hpp>
#include <cstdint>
#include <string_view>
#include <vector>

#include "protocol/redis_cluster/types.h"
#include "protocol/variant.h"

namespace zablab::redis_cluster {

enum class Flag : std::uint8_t { PFAIL, FAIL, none };
BOOST_DESCRIBE_ENUM(Flag, PFAIL, FAIL, none)

enum class FlagReason : std::uint8_t { silent, majority, told, answers };
BOOST_DESCRIBE_ENUM(FlagReason, silent, majority, told, answers)

/// A node flags another one, or removes its flags.
struct Flagged {
  static constexpr std::string_view name = "flagged";
  ServerId about = no_server;
  Flag flag{};
  FlagReason reason{};
  std::vector<ServerId> reporters;  ///< FAIL by a majority: the masters that report it
  bool operator==(const Flagged&) const = default;
};
BOOST_DESCRIBE_STRUCT(Flagged, (), (about, flag, reason, reporters))

/// A replica has scheduled an election.
struct Scheduled {
  static constexpr std::string_view name = "scheduled";
  std::int64_t rank = 0;
  std::int64_t offset = 0;
  bool operator==(const Scheduled&) const = default;
};
BOOST_DESCRIBE_STRUCT(Scheduled, (), (rank, offset))

/// A replica waits longer, because others have more.
struct RankRose {
  static constexpr std::string_view name = "rank";
  std::int64_t rank = 0;
  bool operator==(const RankRose&) const = default;
};
BOOST_DESCRIBE_STRUCT(RankRose, (), (rank))

/// A replica may not replace its master: its data are too old.
struct TooOld {
  static constexpr std::string_view name = "too_old";
  Millis age = 0;
  Millis limit = 0;
  bool operator==(const TooOld&) const = default;
};
BOOST_DESCRIBE_STRUCT(TooOld, (), (age, limit))

struct Asked {
  static constexpr std::string_view name = "asked_votes";
  std::int64_t epoch = 0;
  bool operator==(const Asked&) const = default;
};
BOOST_DESCRIBE_STRUCT(Asked, (), (epoch))

enum class VoteReason : std::uint8_t {
  granted,
  old_epoch,
  voted_in_epoch,
  not_a_replica,
  master_works,
  voted_recently,
  newer_owner,
  fresher_sibling,
  own_epoch,
};
BOOST_DESCRIBE_ENUM(VoteReason, granted, old_epoch, voted_in_epoch, not_a_replica, master_works,
                    voted_recently, newer_owner, fresher_sibling, own_epoch)

/// A master answers, or does not answer, a request for its vote.
struct VoteDecided {
  static constexpr std::string_view name = "vote";
  ServerId candidate = no_server;
  std::int64_t epoch = 0;
  VoteReason reason{};
  bool operator==(const VoteDecided&) const = default;
};
BOOST_DESCRIBE_STRUCT(VoteDecided, (), (candidate, epoch, reason))

/// A vote has arrived, in time or not.
struct VoteCounted {
  static constexpr std::string_view name = "ack";
  ServerId voter = no_server;
  std::int64_t epoch = 0;
  std::vector<ServerId> voters;
  std::int64_t needed = 0;
  bool late = false;
  bool operator==(const VoteCounted&) const = default;
};
BOOST_DESCRIBE_STRUCT(VoteCounted, (), (voter, epoch, voters, needed, late))

struct Expired {
  static constexpr std::string_view name = "expired";
  std::int64_t epoch = 0;
  bool operator==(const Expired&) const = default;
};
BOOST_DESCRIBE_STRUCT(Expired, (), (epoch))

enum class Role : std::uint8_t { MASTER, REPLICA };
BOOST_DESCRIBE_ENUM(Role, MASTER, REPLICA)

/// A node is a master or a replica: it has started, or has become one.
struct RoleChanged {
  static constexpr std::string_view name = "role";
  Role to{};
  bool operator==(const RoleChanged&) const = default;
};
BOOST_DESCRIBE_STRUCT(RoleChanged, (), (to))

enum class PromotedBy : std::uint8_t { election, takeover };
BOOST_DESCRIBE_ENUM(PromotedBy, election, takeover)

/// A replica becomes master.
struct Promoted {
  static constexpr std::string_view name = "promoted";
  PromotedBy by{};
  std::int64_t epoch = 0;
  ServerId old_master = no_server;
  std::vector<ServerId> voters;
  bool operator==(const Promoted&) const = default;
};
BOOST_DESCRIBE_STRUCT(Promoted, (), (by, epoch, old_master, voters))

enum class ManualStage : std::uint8_t {
  requested,  ///< the replica has asked its master to execute no writes
  refused,    ///< the replica does not ask: its master has failed
  paused,     ///< the master executes no writes
  started,    ///< the replica has all of them
  timed_out,  ///< it took too long, for a replica or its master
};
BOOST_DESCRIBE_ENUM(ManualStage, requested, refused, paused, started, timed_out)

/// CLUSTER FAILOVER, at a replica or its master.
struct ManualFailover {
  static constexpr std::string_view name = "manual_failover";
  ManualStage stage{};
  ServerId with = no_server;  ///< the other one of the two
  std::int64_t offset = 0;
  bool operator==(const ManualFailover&) const = default;
};
BOOST_DESCRIBE_STRUCT(ManualFailover, (), (stage, with, offset))

/// A node becomes a replica of another master.
struct Follows {
  static constexpr std::string_view name = "follows";
  ServerId master = no_server;
  bool operator==(const Follows&) const = default;
};
BOOST_DESCRIBE_STRUCT(Follows, (), (master))

/// A node learns of another owner of slots.
struct SlotsMoved {
  static constexpr std::string_view name = "slots_moved";
  ServerId to = no_server;
  std::int64_t epoch = 0;
  std::vector<Slot> slots;
  bool operator==(const SlotsMoved&) const = default;
};
BOOST_DESCRIBE_STRUCT(SlotsMoved, (), (to, epoch, slots))

/// Two masters have the same configuration epoch; this one moves to a new one.
struct Collided {
  static constexpr std::string_view name = "collision";
  ServerId with = no_server;
  std::int64_t from = 0;
  std::int64_t epoch = 0;
  bool operator==(const Collided&) const = default;
};
BOOST_DESCRIBE_STRUCT(Collided, (), (with, from, epoch))

/// cluster_state.
struct StateChanged {
  static constexpr std::string_view name = "cluster_state";
  bool ok = false;
  bool minority = false;
  bool operator==(const StateChanged&) const = default;
};
BOOST_DESCRIBE_STRUCT(StateChanged, (), (ok, minority))

/// A replica has all that its master has.
struct Resynced {
  static constexpr std::string_view name = "resynced";
  ServerId master = no_server;
  std::int64_t offset = 0;
  bool operator==(const Resynced&) const = default;
};
BOOST_DESCRIBE_STRUCT(Resynced, (), (master, offset))

/// The writes that a node had and its new master has not.
struct Discarded {
  static constexpr std::string_view name = "discarded";
  std::vector<std::int64_t> values;
  bool operator==(const Discarded&) const = default;
};
BOOST_DESCRIBE_STRUCT(Discarded, (), (values))

struct Invoked {
  static constexpr std::string_view name = "invoked";
  Request request;
  bool operator==(const Invoked&) const = default;
};
BOOST_DESCRIBE_STRUCT(Invoked, (), (request))

struct Redirected {
  static constexpr std::string_view name = "redirected";
  std::int64_t request = 0;
  ServerId by = no_server;
  ServerId to = no_server;
  bool operator==(const Redirected&) const = default;
};
BOOST_DESCRIBE_STRUCT(Redirected, (), (request, by, to))

struct Answered {
  static constexpr std::string_view name = "answered";
  Operation operation{};
  std::int64_t request = 0;
  Outcome outcome{};
  Slot slot = 0;
  std::int64_t value = 0;
  ServerId by = no_server;
  bool operator==(const Answered&) const = default;
};
BOOST_DESCRIBE_STRUCT(Answered, (), (operation, request, outcome, slot, value, by))

using Event = variant<Flagged, Scheduled, RankRose, TooOld, Asked, VoteDecided, VoteCounted, Expired,
                      RoleChanged, Promoted, ManualFailover, Follows, SlotsMoved, Collided, StateChanged,
                      Resynced, Discarded, Invoked, Redirected, Answered>;

}  // namespace zablab::redis_cluster
