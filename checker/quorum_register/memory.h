// What the monitors remember: of each server from its own happenings alone, and of all together. Nothing here
// but what a later verdict can depend on, for an exhaustive search tells states apart by it.
#pragma once

#include <boost/describe.hpp>
#include <cstdint>
#include <vector>

#include "checker/history/register.h"
#include "protocol/quorum_register/types.h"

namespace zablab::quorum_register {

/// Of one server or client.
struct OwnMemory {
  Version stored;            ///< a replica: what it wrote last, durable or not
  std::int64_t request = 0;  ///< a client: the last that it began with
  std::uint64_t heard = 0;   ///< whose answers to it were read before it was done, by index, a bit each
  bool waits = false;        ///< it is not done yet
  Version seen;              ///< the newest version that it was shown, or that it wrote
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
