// What every node of a run knows: where the register's N copies are, and for how many of them a read (R) and
// a write (W) wait.
#pragma once

#include <algorithm>
#include <boost/describe.hpp>
#include <cstdint>
#include <vector>

#include "protocol/vocabulary.h"

namespace zablab::quorum_register {

struct Config {
  std::vector<ServerId> homes;      ///< the replicas that should have the value
  std::vector<ServerId> stand_ins;  ///< replicas that keep it for a home that does not answer
  std::int64_t read_quorum = 2;
  std::int64_t write_quorum = 2;
  std::int64_t initial = 0;       ///< the value before the first write
  Millis request_limit_ms = 500;  ///< after which a client gives up
  Millis stand_in_ms = 100;       ///< after which it turns to stand-ins
  Millis hand_off_ms = 1000;      ///< the interval at which a stand-in tries to hand over what it keeps
  bool hints = false;  ///< it turns to them for a copy that counts for no quorum, where no rule lets it count
  bool client = false;            ///< a client, not a replica
  bool operator==(const Config&) const = default;

  bool isHome(ServerId id) const { return std::find(homes.begin(), homes.end(), id) != homes.end(); }
};
BOOST_DESCRIBE_STRUCT(Config, (),
                      (homes, stand_ins, read_quorum, write_quorum, initial, request_limit_ms, stand_in_ms,
                       hand_off_ms, hints, client))

}  // namespace zablab::quorum_register
