// The terms of Redis Sentinel: the kinds of nodes, the states of a failover, what is written.
#pragma once

#include <boost/describe.hpp>
#include <cstdint>
#include <optional>
#include <vector>

#include "protocol/vocabulary.h"

namespace zablab::sentinel {

enum class NodeKind : std::uint8_t { sentinel, redis, client };
BOOST_DESCRIBE_ENUM(NodeKind, sentinel, redis, client)

enum class RedisRole : std::uint8_t { master, replica };
BOOST_DESCRIBE_ENUM(RedisRole, master, replica)

/// How far a sentinel's own failover has got. What Redis calls UPDATE_CONFIG is the end of a tick here.
enum class FailoverState : std::uint8_t {
  NONE,
  WAIT_START,       ///< it counts votes
  SELECT_REPLICA,   ///< it is elected
  SEND_REPLICAOF,   ///< it has chosen the replica that becomes the master
  WAIT_PROMOTION,   ///< the replica was told; INFO has to confirm it
  RECONF_REPLICAS,  ///< the new configuration exists; the other replicas are told
};
BOOST_DESCRIBE_ENUM(FailoverState, NONE, WAIT_START, SELECT_REPLICA, SEND_REPLICAOF, WAIT_PROMOTION,
                    RECONF_REPLICAS)

/// How far the leader of a failover has got with one of the other replicas.
enum class Reconf : std::uint8_t { none, sent, in_progress, done };
BOOST_DESCRIBE_ENUM(Reconf, none, sent, in_progress, done)

/// The kind of a client's request.
enum class Operation : std::uint8_t { write, read };
BOOST_DESCRIBE_ENUM(Operation, write, read)

/// What a client is instructed to do. `server`: it does so there, without asking a sentinel.
struct Request {
  Operation operation{};
  std::int64_t number = 0;
  ServerId server = no_server;
  bool operator==(const Request&) const = default;
};
BOOST_DESCRIBE_STRUCT(Request, (), (operation, number, server))

/// One write, as a Redis server stores it.
struct Entry {
  ServerId client = no_server;
  std::int64_t number = 0;
  bool operator==(const Entry&) const = default;
};
BOOST_DESCRIBE_STRUCT(Entry, (), (client, number))

/// All writes that a Redis server has, in order; their number is its replication offset.
using Data = std::vector<Entry>;
inline std::int64_t offsetOf(const Data& data) { return static_cast<std::int64_t>(data.size()); }

/// How a client's request ended. `refused`: no server accepted it; `unknown`: its outcome cannot be known.
enum class Outcome : std::uint8_t { ok, refused, unknown };
BOOST_DESCRIBE_ENUM(Outcome, ok, refused, unknown)

/// A candidate and the epoch in which it was given a vote.
struct Vote {
  std::optional<ServerId> leader;
  std::int64_t epoch = 0;
  bool operator==(const Vote&) const = default;
};
BOOST_DESCRIBE_STRUCT(Vote, (), (leader, epoch))

}  // namespace zablab::sentinel
