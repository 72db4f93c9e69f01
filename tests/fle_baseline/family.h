// A small system of elections in the manner of FastLeaderElection: three servers, one vote each, rounds. It
// is written here as nodes only so that its state count can be compared with that of the same system in
// Promela (SPIN) and TLA+ (TLC), whose state counts are known.
//
// A server is down, looking, following or leading. A looking server sends its vote to all others whenever the
// vote changes; a higher round discards the votes received so far; a server that is not looking answers those
// that are. A quorum of equal votes may decide at any time. Votes are ordered 2 > 1 > 3 (histories 1, 1, 0).
#pragma once

#include <array>
#include <boost/describe.hpp>
#include <cstdint>
#include <string_view>

#include "protocol/variant.h"
#include "protocol/vocabulary.h"

namespace zablab::fle_baseline {

enum class State : std::uint8_t { looking, following, leading };
BOOST_DESCRIBE_ENUM(State, looking, following, leading)

/// A vote is a server's id, 1 to 3; 0 is none.
struct Said {
  static constexpr std::string_view name = "SAID";
  std::int64_t round = 0;
  std::int64_t vote = 0;
  State state{};
  bool operator==(const Said&) const = default;
};
BOOST_DESCRIBE_STRUCT(Said, (), (round, vote, state))

using Message = variant<monostate, Said>;

struct Nothing {
  bool operator==(const Nothing&) const = default;
};
BOOST_DESCRIBE_STRUCT(Nothing, (), ())

enum class TimerKind : std::uint8_t {
  decide,   ///< a quorum has the server's vote
  suspect,  ///< its leader is down or no longer leads; a leader: it has no followers
  resend,   ///< nothing was received from the peer, and nothing is in transit
};
BOOST_DESCRIBE_ENUM(TimerKind, decide, suspect, resend)

struct Types {
  using Message = fle_baseline::Message;
  using Record = Nothing;
  using Durable = Nothing;
  using TimerKind = fle_baseline::TimerKind;
  using Event = Nothing;
  using Request = Nothing;
};
using V = Vocabulary<Types>;

struct Node {
  ServerId self = 0;
  State state{};
  std::int64_t round = 0;
  std::int64_t vote = 0;
  std::array<std::int64_t, 3> heard{};  ///< by server: its vote in this round
  std::array<Said, 3> settled{};        ///< by server: its last message while it led or followed
  bool operator==(const Node&) const = default;
};
BOOST_DESCRIBE_STRUCT(Node, (), (self, state, round, vote, heard, settled))

struct Config {};
struct Rules {};

/// The rank of a vote among the others: the larger wins.
constexpr int rankOf(std::int64_t vote) { return vote == 0 ? 0 : vote == 3 ? 1 : static_cast<int>(vote) + 1; }

struct Family : Types {
  using Vocabulary = V;
  using Config = fle_baseline::Config;
  using Rules = fle_baseline::Rules;
  using Node = fle_baseline::Node;

  static constexpr std::string_view name = "fle_baseline";
  static constexpr std::array links{LinkSpec{"election", LinkKind::bounded}};

  static Node blank(ServerId self) { return {.self = self}; }
  static void step(const Config&, const Rules&, Node&, const V::Input&, V::Effects&);
  static void write(Durable&, const Record&) {}
  static bool accepts(const Node&, Link) { return true; }
};

}  // namespace zablab::fle_baseline
