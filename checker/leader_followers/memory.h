// What the monitors remember: of each server, from its own happenings alone, and of all of them together.
// Most of it says again what servers and disks hold, so that it tells no more states of a search apart.
#pragma once

#include <boost/describe.hpp>
#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "protocol/leader_followers/state.h"

namespace zablab::leader_followers {

/// Of one server, from what happens at it alone.
struct OwnMemory {
  Durable image;                ///< what is durable
  Log log;                      ///< as written, durable or not
  std::int64_t generation = 0;  ///< that its process is in, as far as it said so
  std::optional<ServerId> leader;
  bool operator==(const OwnMemory&) const = default;
};
BOOST_DESCRIBE_STRUCT(OwnMemory, (), (image, log, generation, leader))

/// An entry that a leader counted as committed, by its index in the one log that there should be.
struct Claim {
  Entry entry;
  std::int64_t generation = 0;  ///< of the leader
  bool operator==(const Claim&) const = default;
};
BOOST_DESCRIBE_STRUCT(Claim, (), (entry, generation))

/// Of all together.
struct SharedMemory {
  std::vector<Log> durable;  ///< by server
  std::vector<Claim> committed;
  std::map<std::int64_t, ServerId> leaders;  ///< by generation
  Index shown = 0;                           ///< the newest that a client was told of
  std::map<ServerId, Index> asked;           ///< by client that reads: what had been shown before
  bool operator==(const SharedMemory&) const = default;
};
BOOST_DESCRIBE_STRUCT(SharedMemory, (), (durable, committed, leaders, shown, asked))

}  // namespace zablab::leader_followers
