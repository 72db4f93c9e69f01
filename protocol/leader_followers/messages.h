// The messages between servers and clients, and what a server writes to its disk.
#pragma once

#include <boost/describe.hpp>
#include <optional>
#include <string_view>
#include <variant>
#include <vector>

#include "protocol/leader_followers/types.h"

namespace zablab::leader_followers {

inline constexpr Link server_link = 0;
inline constexpr Link client_link = 1;

// ---- between servers

/// `pre`: asks only what the answer would be; `generation` is the one that would be begun.
struct VoteRequest {
  static constexpr std::string_view name = "VOTE_REQUEST";
  std::int64_t generation = 0;
  Position last;  ///< where the candidate's log ends
  bool pre = false;
  bool operator==(const VoteRequest&) const = default;
};
BOOST_DESCRIBE_STRUCT(VoteRequest, (), (generation, last, pre))

/// `generation`: the voter's own; of a granted pre-vote, the one that was asked for. A candidate sends it to
/// itself when its own vote is durable.
struct VoteResponse {
  static constexpr std::string_view name = "VOTE_RESPONSE";
  std::int64_t generation = 0;
  bool granted = false;
  bool pre = false;
  bool operator==(const VoteResponse&) const = default;
};
BOOST_DESCRIBE_STRUCT(VoteResponse, (), (generation, granted, pre))

/// What follows `previous` in the leader's log. A heartbeat is one without entries.
struct Append {
  static constexpr std::string_view name = "APPEND";
  std::int64_t generation = 0;
  Position previous;
  Log entries;
  Index commit_index = 0;
  std::optional<ReadMark> read;
  bool operator==(const Append&) const = default;
};
BOOST_DESCRIBE_STRUCT(Append, (), (generation, previous, entries, commit_index, read))

/// `index`: up to which the follower's log equals the leader's; where the Append did not fit, up to which it
/// may. A leader sends it to itself when its own entries are durable.
struct AppendResponse {
  static constexpr std::string_view name = "APPEND_RESPONSE";
  std::int64_t generation = 0;
  bool fits = false;
  Index index = 0;
  std::optional<ReadMark> read;
  bool operator==(const AppendResponse&) const = default;
};
BOOST_DESCRIBE_STRUCT(AppendResponse, (), (generation, fits, index, read))

/// How a client's request ended. `refused`: it was not accepted; `unknown`: its outcome cannot be known.
enum class Outcome : std::uint8_t { ok, refused, unknown };
BOOST_DESCRIBE_ENUM(Outcome, ok, refused, unknown)

/// A client's request, forwarded to the leader.
struct Forwarded {
  static constexpr std::string_view name = "FORWARDED";
  ServerId client = no_server;
  Operation operation{};
  std::int64_t value = 0;
  std::int64_t number = 0;
  bool operator==(const Forwarded&) const = default;
};
BOOST_DESCRIBE_STRUCT(Forwarded, (), (client, operation, value, number))

/// The leader's answer to it.
struct ForwardedReply {
  static constexpr std::string_view name = "FORWARDED_REPLY";
  static constexpr std::string_view former_name = "FORWARDED_ANSWER";
  ServerId client = no_server;
  std::int64_t number = 0;
  Outcome outcome{};
  Index index = 0;
  std::int64_t value = 0;
  bool operator==(const ForwardedReply&) const = default;
};
BOOST_DESCRIBE_STRUCT(ForwardedReply, (), (client, number, outcome, index, value))

// ---- with clients

struct ClientRequest {
  static constexpr std::string_view name = "REQUEST";
  Operation operation{};
  std::int64_t value = 0;
  std::int64_t number = 0;
  bool operator==(const ClientRequest&) const = default;
};
BOOST_DESCRIBE_STRUCT(ClientRequest, (), (operation, value, number))

/// `index`: for a put, the index of its entry; for a read, the index up to which the log was applied.
/// `value`: for a read.
struct Reply {
  static constexpr std::string_view name = "REPLY";
  static constexpr std::string_view former_name = "ANSWER";
  std::int64_t number = 0;
  Outcome outcome{};
  Index index = 0;
  std::int64_t value = 0;
  bool operator==(const Reply&) const = default;
};
BOOST_DESCRIBE_STRUCT(Reply, (), (number, outcome, index, value))

using Message = std::variant<VoteRequest, VoteResponse, Append, AppendResponse, Forwarded, ForwardedReply,
                             ClientRequest, Reply>;

// ---- the disk

/// The generation that a server is in, and the candidate it voted for in it.
struct WriteVote {
  static constexpr std::string_view name = "vote";
  std::int64_t generation = 0;
  std::optional<ServerId> voted_for;
  bool operator==(const WriteVote&) const = default;
};
BOOST_DESCRIBE_STRUCT(WriteVote, (), (generation, voted_for))

/// One more entry at the log's end.
struct WriteEntry {
  static constexpr std::string_view name = "entry";
  Entry entry;
  bool operator==(const WriteEntry&) const = default;
};
BOOST_DESCRIBE_STRUCT(WriteEntry, (), (entry))

/// Everything after `index` is removed.
struct Truncate {
  static constexpr std::string_view name = "truncate";
  Index index = 0;
  bool operator==(const Truncate&) const = default;
};
BOOST_DESCRIBE_STRUCT(Truncate, (), (index))

using Record = std::variant<WriteVote, WriteEntry, Truncate>;

struct Durable {
  std::int64_t generation = 0;
  std::optional<ServerId> voted_for;
  Log log;
  bool operator==(const Durable&) const = default;
};
BOOST_DESCRIBE_STRUCT(Durable, (), (generation, voted_for, log))

enum class TimerKind : std::uint8_t {
  election,      ///< nothing was received from a leader, or the present election had no result
  heartbeat,     ///< a leader sends heartbeats
  silent,        ///< a leader has received nothing from this follower
  client_retry,  ///< a client asks the next server
  answer_limit,  ///< a client stops waiting
  led_over,      ///< a follower no longer counts as led
};
BOOST_DESCRIBE_ENUM(TimerKind, election, heartbeat, silent, client_retry, answer_limit, led_over)

}  // namespace zablab::leader_followers
