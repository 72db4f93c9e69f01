// The memory of the monitors: for each node from its own messages, writes and events alone, and for all
// together. It contains only what a later verdict can depend on, because an exhaustive search distinguishes
// states by it.
#pragma once

#include <boost/describe.hpp>
#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "protocol/redis_cluster/state.h"

namespace zablab::redis_cluster {

/// For one node.
struct OwnMemory {
  NodesConf conf;                   ///< as it was synced last
  std::vector<std::int64_t> voted;  ///< the epochs in which it has voted, in order
  std::vector<ServerId> suspected;  ///< that it flags as PFAIL, in order
  std::vector<ServerId> failed;     ///< that it flags as FAIL, in order
  std::int64_t asked = 0;           ///< the epoch in which it asked for votes last
  std::vector<ServerId> voters;     ///< whose votes for that have arrived, in order
  bool operator==(const OwnMemory&) const = default;
};
BOOST_DESCRIBE_STRUCT(OwnMemory, (), (conf, voted, suspected, failed, asked, voters))

/// A manual failover whose master still executes no writes. Offsets count the writes that were executed.
struct Handover {
  ServerId replica = no_server;
  ServerId master = no_server;
  std::int64_t executed = 0;            ///< by the master
  std::optional<std::int64_t> arrived;  ///< at the replica, since it has begun
  bool operator==(const Handover&) const = default;
};
BOOST_DESCRIBE_STRUCT(Handover, (), (replica, master, executed, arrived))

struct SharedMemory {
  std::map<std::int64_t, ServerId> winners;  ///< by epoch: who was elected
  std::vector<Handover> handovers;
  bool operator==(const SharedMemory&) const = default;
};
BOOST_DESCRIBE_STRUCT(SharedMemory, (), (winners, handovers))

}  // namespace zablab::redis_cluster
