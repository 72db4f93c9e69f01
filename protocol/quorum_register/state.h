// The state of nodes and the content of disks.
#pragma once

#include <boost/describe.hpp>
#include <cstdint>
#include <map>
#include <optional>
#include <string_view>
#include <vector>

#include "protocol/quorum_register/types.h"
#include "protocol/variant.h"

namespace zablab::quorum_register {

/// A replica's disk. A client has no durable state.
struct Durable {
  Stored stored;
  std::map<ServerId, Stored> hints;  ///< a stand-in's, by home
  bool operator==(const Durable&) const = default;
};
BOOST_DESCRIBE_STRUCT(Durable, (), (stored, hints))

struct Keep {
  static constexpr std::string_view name = "keep";
  Stored stored;
  bool operator==(const Keep&) const = default;
};
BOOST_DESCRIBE_STRUCT(Keep, (), (stored))

struct KeepHint {
  static constexpr std::string_view name = "keep_hint";
  ServerId home = no_server;
  Stored stored;
  bool operator==(const KeepHint&) const = default;
};
BOOST_DESCRIBE_STRUCT(KeepHint, (), (home, stored))

struct DropHint {
  static constexpr std::string_view name = "drop_hint";
  ServerId home = no_server;
  bool operator==(const DropHint&) const = default;
};
BOOST_DESCRIBE_STRUCT(DropHint, (), (home))

using Record = variant<Keep, KeepHint, DropHint>;

enum class TimerKind : std::uint8_t {
  give_up,   ///< a client's request has reached its time limit
  stand_in,  ///< homes that have not answered a client are assumed to be down
  hand_off,  ///< a stand-in tries to hand over what it keeps
};
BOOST_DESCRIBE_ENUM(TimerKind, give_up, stand_in, hand_off)

enum class Phase : std::uint8_t {
  asking,     ///< asking replicas for what they have
  storing,    ///< storing a new value, or the one that a read is going to return
  repairing,  ///< the client was answered; replicas that answer late are sent what they lack
};
BOOST_DESCRIBE_ENUM(Phase, asking, storing, repairing)

struct Reply {
  ServerId from = no_server;
  Version version;
  auto operator<=>(const Reply&) const = default;
};
BOOST_DESCRIBE_STRUCT(Reply, (), (from, version))

/// A request in progress.
struct Coordination {
  Request request;
  Phase phase{};
  std::vector<Reply> replies;   ///< by replica
  Stored chosen;                ///< the newest version received, and then what is stored
  bool stores_new = false;      ///< it stores a new value of its own
  std::vector<ServerId> acked;  ///< homes whose copy of `chosen` is acknowledged, in order
  bool operator==(const Coordination&) const = default;
};
BOOST_DESCRIBE_STRUCT(Coordination, (), (request, phase, replies, chosen, stores_new, acked))

struct Node {
  ServerId self = 0;
  // ---- a replica: what its disk holds
  Stored stored;
  std::map<ServerId, Stored> hints;
  // ---- a client
  std::optional<Coordination> doing;
  std::int64_t counter = 0;  ///< of its own writes, if it counts them itself
  bool operator==(const Node&) const = default;
};
BOOST_DESCRIBE_STRUCT(Node, (), (self, stored, hints, doing, counter))

}  // namespace zablab::quorum_register
