// The memory of the monitors: for each server, from its own events alone, and for all of them together. Most
// of it repeats what servers and disks hold, so that it does not distinguish more states of a search.
#pragma once

#include <boost/describe.hpp>
#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "protocol/leader_followers/register.h"

namespace zablab::leader_followers {

/// For one server, from what happens at it alone.
struct OwnMemory {
  Durable image;                ///< what is durable
  Log log;                      ///< as written, durable or not
  std::int64_t generation = 0;  ///< that its process is in, as far as it has reported it
  std::optional<ServerId> leader;
  bool operator==(const OwnMemory&) const = default;
};
BOOST_DESCRIBE_STRUCT(OwnMemory, (), (image, log, generation, leader))

/// An entry that a leader counted as committed, by its index in the one log that should exist.
struct Claim {
  Entry entry;
  std::int64_t generation = 0;  ///< of the leader
  bool operator==(const Claim&) const = default;
};
BOOST_DESCRIBE_STRUCT(Claim, (), (entry, generation))

/// For all together.
struct SharedMemory {
  std::vector<Log> durable;  ///< by server
  std::vector<Claim> committed;
  std::map<std::int64_t, ServerId> leaders;  ///< by generation
  Index shown = 0;                           ///< the newest that a client has been shown
  std::map<ServerId, Index> asked;           ///< by client that reads: what had been shown before the read
  bool operator==(const SharedMemory&) const = default;
};
BOOST_DESCRIBE_STRUCT(SharedMemory, (), (durable, committed, leaders, shown, asked))

}  // namespace zablab::leader_followers
