// The memory of the monitors: for each broker, from what happens at it alone, and for all of them together.
// It contains only what a later verdict can depend on, because an exhaustive search distinguishes states by
// it.
#pragma once

#include <boost/describe.hpp>
#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "protocol/kafka/types.h"
#include "protocol/zab/types.h"

namespace zablab::kafka {

/// Of a broker.
struct OwnMemory {
  std::int64_t obeyed_epoch = 0;    ///< the latest controller epoch that this process has obeyed
  std::vector<ServerId> seen_live;  ///< the brokers that it has read last as the controller
  bool operator==(const OwnMemory&) const = default;
};
BOOST_DESCRIBE_STRUCT(OwnMemory, (), (obeyed_epoch, seen_live))

struct SharedMemory {
  zab::Zxid applied;                         ///< the last transaction that is counted
  std::optional<ServerId> claimer;           ///< the broker that has created /controller last
  std::int64_t epoch = 0;                    ///< as /controller_epoch says
  std::int64_t claimed_epoch = 0;            ///< as it said after the last claim
  std::map<std::int64_t, ServerId> leaders;  ///< of the partition, by leader epoch
  bool operator==(const SharedMemory&) const = default;
};
BOOST_DESCRIBE_STRUCT(SharedMemory, (), (applied, claimer, epoch, claimed_epoch, leaders))

}  // namespace zablab::kafka
