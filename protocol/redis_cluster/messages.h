// The messages of the cluster bus, of replication, and between clients and nodes.
#pragma once

#include <boost/describe.hpp>
#include <cstdint>
#include <string_view>
#include <vector>

#include "protocol/redis_cluster/types.h"
#include "protocol/variant.h"

namespace zablab::redis_cluster {

// ---- the bus: each may be lost, arrive twice or late

/// What every packet of the bus says about its sender. A replica advertises its master's configuration epoch
/// and slots.
struct Header {
  std::int64_t current_epoch = 0;
  std::int64_t config_epoch = 0;
  ServerId master = no_server;  ///< a replica's
  std::vector<Slot> slots;
  std::int64_t offset = 0;
  bool paused = false;  ///< a master that executes no writes, for a manual failover
  bool operator==(const Header&) const = default;
};
BOOST_DESCRIBE_STRUCT(Header, (), (current_epoch, config_epoch, master, slots, offset, paused))

/// PING, with the gossip sections: the nodes that the sender flags as PFAIL or FAIL.
struct Ping {
  static constexpr std::string_view name = "PING";
  Header header;
  std::vector<ServerId> failing;
  bool operator==(const Ping&) const = default;
};
BOOST_DESCRIBE_STRUCT(Ping, (), (header, failing))

/// The answer to PING; also broadcast by a node that has something new to say.
struct Pong {
  static constexpr std::string_view name = "PONG";
  Header header;
  std::vector<ServerId> failing;
  bool operator==(const Pong&) const = default;
};
BOOST_DESCRIBE_STRUCT(Pong, (), (header, failing))

/// A majority of masters reports this node as failing.
struct Fail {
  static constexpr std::string_view name = "FAIL";
  Header header;
  ServerId failed = no_server;
  bool operator==(const Fail&) const = default;
};
BOOST_DESCRIBE_STRUCT(Fail, (), (header, failed))

struct AuthRequest {
  static constexpr std::string_view name = "FAILOVER_AUTH_REQUEST";
  Header header;
  bool force = false;  ///< FORCEACK: also if the master works
  bool operator==(const AuthRequest&) const = default;
};
BOOST_DESCRIBE_STRUCT(AuthRequest, (), (header, force))

struct AuthAck {
  static constexpr std::string_view name = "FAILOVER_AUTH_ACK";
  Header header;
  bool operator==(const AuthAck&) const = default;
};
BOOST_DESCRIBE_STRUCT(AuthAck, (), (header))

/// A replica, instructed to replace its master, asks the master to execute no writes.
struct MfStart {
  static constexpr std::string_view name = "MFSTART";
  Header header;
  bool operator==(const MfStart&) const = default;
};
BOOST_DESCRIBE_STRUCT(MfStart, (), (header))

/// The receiver claims slots that this node has with a higher configuration epoch.
struct Update {
  static constexpr std::string_view name = "UPDATE";
  Header header;
  ServerId owner = no_server;
  std::int64_t config_epoch = 0;
  std::vector<Slot> slots;
  bool operator==(const Update&) const = default;
};
BOOST_DESCRIBE_STRUCT(Update, (), (header, owner, config_epoch, slots))

// ---- replication, over connections

/// A replica asks its master for all it has.
struct Psync {
  static constexpr std::string_view name = "PSYNC";
  bool operator==(const Psync&) const = default;
};
BOOST_DESCRIBE_STRUCT(Psync, (), ())

struct FullResync {
  static constexpr std::string_view name = "FULLRESYNC";
  History history;
  bool operator==(const FullResync&) const = default;
};
BOOST_DESCRIBE_STRUCT(FullResync, (), (history))

struct Replicate {
  static constexpr std::string_view name = "REPLICATE";
  Entry entry;
  bool operator==(const Replicate&) const = default;
};
BOOST_DESCRIBE_STRUCT(Replicate, (), (entry))

/// A master's periodic sign of life to its replicas.
struct ReplPing {
  static constexpr std::string_view name = "REPLPING";
  bool operator==(const ReplPing&) const = default;
};
BOOST_DESCRIBE_STRUCT(ReplPing, (), ())

// ---- clients

struct Set {
  static constexpr std::string_view name = "SET";
  Slot slot = 0;
  std::int64_t value = 0;
  std::int64_t number = 0;
  bool operator==(const Set&) const = default;
};
BOOST_DESCRIBE_STRUCT(Set, (), (slot, value, number))

struct Get {
  static constexpr std::string_view name = "GET";
  Slot slot = 0;
  std::int64_t number = 0;
  bool operator==(const Get&) const = default;
};
BOOST_DESCRIBE_STRUCT(Get, (), (slot, number))

struct Reply {
  static constexpr std::string_view name = "REPLY";
  std::int64_t number = 0;
  std::int64_t value = 0;
  bool operator==(const Reply&) const = default;
};
BOOST_DESCRIBE_STRUCT(Reply, (), (number, value))

struct Moved {
  static constexpr std::string_view name = "MOVED";
  std::int64_t number = 0;
  ServerId to = no_server;
  bool operator==(const Moved&) const = default;
};
BOOST_DESCRIBE_STRUCT(Moved, (), (number, to))

struct ClusterDown {
  static constexpr std::string_view name = "CLUSTERDOWN";
  std::int64_t number = 0;
  bool operator==(const ClusterDown&) const = default;
};
BOOST_DESCRIBE_STRUCT(ClusterDown, (), (number))

using Message = variant<monostate, Ping, Pong, Fail, AuthRequest, AuthAck, MfStart, Update, Psync, FullResync,
                        Replicate, ReplPing, Set, Get, Reply, Moved, ClusterDown>;

}  // namespace zablab::redis_cluster
