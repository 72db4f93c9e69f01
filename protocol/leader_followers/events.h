// What a server's steps make observable. Every decision carries its reason.
#pragma once

#include <boost/mp11.hpp>
#include <optional>
#include <string_view>
#include <vector>

#include "protocol/leader_followers/messages.h"
#include "protocol/variant.h"

namespace zablab::leader_followers {

enum class RoleReason : std::uint8_t {
  started,
  timed_out,      ///< nothing was received from a leader
  leader_silent,  ///< the same for the least election timeout: it follows nobody, and waits for its own
  elected,
  higher_generation,  ///< another server has a higher generation
  voted,
  heard_leader,
  quorum_silent,
  placed,
};
BOOST_DESCRIBE_ENUM(RoleReason, started, timed_out, leader_silent, elected, higher_generation, voted,
                    heard_leader, quorum_silent, placed)

struct RoleChanged {
  static constexpr std::string_view name = "role";
  Role from{};
  Role to{};
  std::int64_t generation = 0;
  std::optional<ServerId> leader;
  RoleReason reason{};
  bool operator==(const RoleChanged&) const = default;
};
BOOST_DESCRIBE_STRUCT(RoleChanged, (), (from, to, generation, leader, reason))

/// It asks for votes in `generation`; with `pre`, whether it would get them.
struct Looking {
  static constexpr std::string_view name = "looking";
  std::int64_t generation = 0;
  bool pre = false;
  Position last;
  bool operator==(const Looking&) const = default;
};
BOOST_DESCRIBE_STRUCT(Looking, (), (generation, pre, last))

enum class VoteReason : std::uint8_t {
  lower_generation,
  repeated,  ///< it has voted for this server in this generation before
  voted_for_another,
  up_to_date,  ///< the candidate's log is at least as good
  lower_id,    ///< the logs are equal, so the id decides
  log_behind,
  higher_generation,  ///< sufficient by itself
  has_leader,
};
BOOST_DESCRIBE_ENUM(VoteReason, lower_generation, repeated, voted_for_another, up_to_date, lower_id,
                    log_behind, higher_generation, has_leader)

struct VoteDecided {
  static constexpr std::string_view name = "vote";
  ServerId candidate = no_server;
  std::int64_t generation = 0;
  bool pre = false;
  bool granted = false;
  VoteReason reason{};
  Position asked;  ///< where the candidate's log ends
  Position here;
  bool operator==(const VoteDecided&) const = default;
};
BOOST_DESCRIBE_STRUCT(VoteDecided, (), (candidate, generation, pre, granted, reason, asked, here))

/// A quorum granted its votes.
struct QuorumCounted {
  static constexpr std::string_view name = "quorum";
  std::int64_t generation = 0;
  bool pre = false;
  std::vector<ServerId> by;
  bool operator==(const QuorumCounted&) const = default;
};
BOOST_DESCRIBE_STRUCT(QuorumCounted, (), (generation, pre, by))

/// An Append was rejected.
enum class RefusedReason : std::uint8_t { lower_generation, gap, other_entry };
BOOST_DESCRIBE_ENUM(RefusedReason, lower_generation, gap, other_entry)

struct AppendRefused {
  static constexpr std::string_view name = "append_refused";
  ServerId leader = no_server;
  Position previous;
  RefusedReason reason{};
  bool operator==(const AppendRefused&) const = default;
};
BOOST_DESCRIBE_STRUCT(AppendRefused, (), (leader, previous, reason))

/// Entries after `index` were replaced by the leader's.
struct Truncated {
  static constexpr std::string_view name = "truncated";
  Index index = 0;
  Position last;  ///< where the log ended before
  bool operator==(const Truncated&) const = default;
};
BOOST_DESCRIBE_STRUCT(Truncated, (), (index, last))

/// A leader counted a quorum that has every entry up to here.
struct Committed {
  static constexpr std::string_view name = "committed";
  Position up_to;
  std::vector<ServerId> by;
  bool operator==(const Committed&) const = default;
};
BOOST_DESCRIBE_STRUCT(Committed, (), (up_to, by))

template <class S>
struct BasicApplied {
  static constexpr std::string_view name = "applied";
  Index index = 0;
  BasicEntry<S> entry;
  bool operator==(const BasicApplied&) const = default;
  BOOST_DESCRIBE_CLASS(BasicApplied, (), (index, entry), (), ())
};

/// A leader has received nothing from a follower for a check-quorum time.
struct Silent {
  static constexpr std::string_view name = "silent";
  ServerId follower = no_server;
  bool operator==(const Silent&) const = default;
};
BOOST_DESCRIBE_STRUCT(Silent, (), (follower))

/// How a client's request ended, as seen by the client.
template <class S>
struct BasicAnswered {
  static constexpr std::string_view name = "answered";
  Operation operation{};
  std::int64_t number = 0;
  Outcome outcome{};
  Index index = 0;
  typename S::Result value{};
  bool operator==(const BasicAnswered&) const = default;
  BOOST_DESCRIBE_CLASS(BasicAnswered, (), (operation, number, outcome, index, value), (), ())
};

/// The events of servers, and all events.
template <class S>
using BasicServerEvent = variant<RoleChanged, Looking, VoteDecided, QuorumCounted, AppendRefused, Truncated,
                                 Committed, BasicApplied<S>, Silent>;
template <class S>
using BasicEvent = boost::mp11::mp_push_back<BasicServerEvent<S>, BasicAnswered<S>>;

}  // namespace zablab::leader_followers
