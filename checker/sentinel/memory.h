// The memory of the monitors: for each node, from what happens at it alone, and for all of them together. It
// contains only what a later verdict can depend on, because an exhaustive search distinguishes states by it.
#pragma once

#include <boost/describe.hpp>
#include <cstdint>
#include <map>
#include <set>

#include "protocol/sentinel/types.h"

namespace zablab::sentinel {

/// What a Redis server reported last to a sentinel.
struct Report {
  bool master = false;
  std::int64_t priority = 0;
  std::int64_t offset = 0;
  bool operator==(const Report&) const = default;
};
BOOST_DESCRIBE_STRUCT(Report, (), (master, priority, offset))

/// Of a sentinel.
struct OwnMemory {
  std::int64_t config_epoch = 0;          ///< on its disk
  std::int64_t config_before = 0;         ///< and before the last write, or start
  bool placed = false;                    ///< it was already running: what it was told before is not known
  bool sees_down = false;                 ///< it sees its master down
  ServerId master = no_server;            ///< that it follows; unset: the first one
  std::map<ServerId, ServerId> see_down;  ///< the master that a sentinel has told it to be down
  std::map<ServerId, Report> reports;     ///< by Redis server
  std::int64_t attempt = 0;               ///< the epoch in which it waits to be elected
  std::set<ServerId> attempt_votes;       ///< who has given it a vote in this epoch, as far as it knows
  bool operator==(const OwnMemory&) const = default;
};
BOOST_DESCRIBE_STRUCT(OwnMemory, (),
                      (config_epoch, config_before, placed, sees_down, master, see_down, reports, attempt,
                       attempt_votes))

/// For which candidate a sentinel voted in an epoch.
struct Ballot {
  std::int64_t epoch = 0;
  ServerId voter = no_server;
  auto operator<=>(const Ballot&) const = default;
};
BOOST_DESCRIBE_STRUCT(Ballot, (), (epoch, voter))

struct SharedMemory {
  std::map<Ballot, ServerId> votes;                 ///< the candidate
  std::map<std::int64_t, ServerId> leaders;         ///< by the epoch of the votes
  std::map<std::int64_t, ServerId> promotions;      ///< the sentinel, by the configuration's epoch
  std::map<std::int64_t, ServerId> configurations;  ///< the master, by the configuration's epoch
  bool operator==(const SharedMemory&) const = default;
};
BOOST_DESCRIBE_STRUCT(SharedMemory, (), (votes, leaders, promotions, configurations))

}  // namespace zablab::sentinel
