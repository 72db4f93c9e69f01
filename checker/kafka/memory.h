// The memory of the monitors: for each broker, from what happens at it alone, and for all of them together.
// It contains only what a later verdict can depend on, because an exhaustive search distinguishes states by
// it.
#pragma once

#include <boost/describe.hpp>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <vector>

#include "protocol/kafka/types.h"
#include "protocol/zab/types.h"

namespace zablab::kafka {

/// Of a broker.
struct OwnMemory {
  std::int64_t accepted_epoch = 0;     ///< the latest controller epoch that this process has accepted
  std::int64_t registered_before = 0;  ///< the zxid of the registration when this process began
  Log log;                             ///< what it has written
  bool operator==(const OwnMemory&) const = default;
};
BOOST_DESCRIBE_STRUCT(OwnMemory, (), (accepted_epoch, registered_before, log))

struct SharedMemory {
  zab::Zxid applied;                                    ///< the last transaction that is counted
  std::optional<ServerId> claimer;                      ///< the broker that has created /controller last
  std::int64_t epoch = 0;                               ///< as /controller_epoch says
  std::int64_t claimed_epoch = 0;                       ///< as it said after the last claim
  std::map<std::int64_t, ServerId> leaders;             ///< of the partition, by leader epoch
  std::map<ServerId, std::vector<ServerId>> seen_live;  ///< which brokers a controller has read last
  std::optional<Partition> partition;                   ///< as ZooKeeper has it
  std::map<ServerId, std::int64_t> registrations;       ///< of brokers, the zxid of the last one
  Log committed;                                        ///< the longest that a replica knew
  std::set<std::int64_t> acknowledged;                  ///< records, with acks=all
  std::int64_t leads_in = -1;   ///< the latest leader epoch in which a leader has begun
  ServerId leader = no_server;  ///< which
  Log leader_log;
  bool operator==(const SharedMemory&) const = default;
};
BOOST_DESCRIBE_STRUCT(SharedMemory, (),
                      (applied, claimer, epoch, claimed_epoch, leaders, seen_live, partition, registrations,
                       committed, acknowledged, leads_in, leader, leader_log))

}  // namespace zablab::kafka
