// The messages between servers and clients, and what a server writes to its disk.
#pragma once

#include <boost/describe.hpp>
#include <boost/mp11.hpp>
#include <optional>
#include <string_view>
#include <vector>

#include "protocol/leader_followers/types.h"
#include "protocol/variant.h"

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
template <class S>
struct BasicAppend {
  static constexpr std::string_view name = "APPEND";
  std::int64_t generation = 0;
  Position previous;
  BasicLog<S> entries;
  Index commit_index = 0;
  std::optional<ReadMark> read;
  bool operator==(const BasicAppend&) const = default;
  BOOST_DESCRIBE_CLASS(BasicAppend, (), (generation, previous, entries, commit_index, read), (), ())
};

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
template <class S>
struct BasicForwarded {
  static constexpr std::string_view name = "FORWARDED";
  ServerId client = no_server;
  Operation operation{};
  typename S::Value value{};
  std::int64_t number = 0;
  bool operator==(const BasicForwarded&) const = default;
  BOOST_DESCRIBE_CLASS(BasicForwarded, (), (client, operation, value, number), (), ())
};

/// The leader's answer to it.
template <class S>
struct BasicForwardedReply {
  static constexpr std::string_view name = "FORWARDED_REPLY";
  static constexpr std::string_view former_name = "FORWARDED_ANSWER";
  ServerId client = no_server;
  std::int64_t number = 0;
  Outcome outcome{};
  Index index = 0;
  typename S::Result value{};
  bool operator==(const BasicForwardedReply&) const = default;
  BOOST_DESCRIBE_CLASS(BasicForwardedReply, (), (client, number, outcome, index, value), (), ())
};

// ---- with clients

template <class S>
struct BasicClientRequest {
  static constexpr std::string_view name = "REQUEST";
  Operation operation{};
  typename S::Value value{};
  std::int64_t number = 0;
  bool operator==(const BasicClientRequest&) const = default;
  BOOST_DESCRIBE_CLASS(BasicClientRequest, (), (operation, value, number), (), ())
};

/// `index`: for a put, the index of its entry; for a read, the index up to which the log was applied.
/// `value`: for a read.
template <class S>
struct BasicReply {
  static constexpr std::string_view name = "REPLY";
  static constexpr std::string_view former_name = "ANSWER";
  std::int64_t number = 0;
  Outcome outcome{};
  Index index = 0;
  typename S::Result value{};
  bool operator==(const BasicReply&) const = default;
  BOOST_DESCRIBE_CLASS(BasicReply, (), (number, outcome, index, value), (), ())
};

/// The messages between servers, and all messages.
template <class S>
using BasicServerMessage = variant<VoteRequest, VoteResponse, BasicAppend<S>, AppendResponse,
                                   BasicForwarded<S>, BasicForwardedReply<S>>;
template <class S>
using BasicMessage = boost::mp11::mp_push_back<BasicServerMessage<S>, BasicClientRequest<S>, BasicReply<S>>;

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
template <class S>
struct BasicWriteEntry {
  static constexpr std::string_view name = "entry";
  BasicEntry<S> entry;
  bool operator==(const BasicWriteEntry&) const = default;
  BOOST_DESCRIBE_CLASS(BasicWriteEntry, (), (entry), (), ())
};

/// Everything after `index` is removed.
struct Truncate {
  static constexpr std::string_view name = "truncate";
  Index index = 0;
  bool operator==(const Truncate&) const = default;
};
BOOST_DESCRIBE_STRUCT(Truncate, (), (index))

template <class S>
using BasicRecord = variant<WriteVote, BasicWriteEntry<S>, Truncate>;

template <class S>
struct BasicDurable {
  std::int64_t generation = 0;
  std::optional<ServerId> voted_for;
  BasicLog<S> log;
  bool operator==(const BasicDurable&) const = default;
  BOOST_DESCRIBE_CLASS(BasicDurable, (), (generation, voted_for, log), (), ())
};

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
