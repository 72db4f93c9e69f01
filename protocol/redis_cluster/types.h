// The terms of Redis Cluster: nodes, slots, epochs, and the writes that masters replicate.
#pragma once

#include <boost/describe.hpp>
#include <cstdint>
#include <vector>

#include "protocol/vocabulary.h"

namespace zablab::redis_cluster {

/// A number of a slot. There are as many as the configuration assigns, not 16384.
using Slot = std::int64_t;

enum class Operation : std::uint8_t { read, write, takeover, force, failover };
BOOST_DESCRIBE_ENUM(Operation, read, write, takeover, force, failover)

/// What a client is instructed to do, or a replica itself: CLUSTER FAILOVER, alone or with TAKEOVER or FORCE.
struct Request {
  Operation operation{};
  Slot slot = 0;
  std::int64_t value = 0;
  std::int64_t number = 0;  ///< unique among the requests of a run
  bool operator==(const Request&) const = default;
};
BOOST_DESCRIBE_STRUCT(Request, (), (operation, slot, value, number))

/// A write that was executed. How many a node has is its replication offset.
struct Entry {
  Slot slot = 0;
  std::int64_t value = 0;
  bool operator==(const Entry&) const = default;
};
BOOST_DESCRIBE_STRUCT(Entry, (), (slot, value))

using History = std::vector<Entry>;

enum class Outcome : std::uint8_t {
  ok,
  refused,  ///< CLUSTERDOWN: it has no effect
  unknown,  ///< no answer in time
  busy,     ///< the client has not finished its previous request
};
BOOST_DESCRIBE_ENUM(Outcome, ok, refused, unknown, busy)

}  // namespace zablab::redis_cluster
