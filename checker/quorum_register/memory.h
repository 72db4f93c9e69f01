// The memory of the monitors: for each server from its own events alone, and for all together. It contains
// only what a later verdict can depend on, because an exhaustive search distinguishes states by it.
#pragma once

#include <boost/describe.hpp>
#include <cstdint>
#include <vector>

#include "checker/history/register.h"
#include "protocol/quorum_register/types.h"

namespace zablab::quorum_register {

/// For one server or client.
struct OwnMemory {
  Version stored;            ///< a replica: its last write, durable or not
  std::int64_t request = 0;  ///< a client: the last that it began
  std::uint64_t heard =
      0;  ///< the replicas whose answers to it were read before it was finished, by index, one bit each
  bool waits = false;  ///< it is not finished yet
  Version seen;        ///< the newest version that it has read or written
  bool operator==(const OwnMemory&) const = default;
};
BOOST_DESCRIBE_STRUCT(OwnMemory, (), (stored, request, heard, waits, seen))

/// A durable copy: a home's own, or what a stand-in keeps for it.
struct Copy {
  int holder = -1;  ///< by index
  ServerId home = no_server;
  Version version;
  bool operator==(const Copy&) const = default;
};
BOOST_DESCRIBE_STRUCT(Copy, (), (holder, home, version))

struct SharedMemory {
  history::RegisterHistory history;
  std::vector<Copy> copies;  ///< by holder, then by home
  bool operator==(const SharedMemory&) const = default;
};
BOOST_DESCRIBE_STRUCT(SharedMemory, (), (history, copies))

}  // namespace zablab::quorum_register
