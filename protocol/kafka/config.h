// What a node is configured with. It never changes during a run.
#pragma once

#include <boost/describe.hpp>
#include <vector>

#include "protocol/kafka/types.h"
#include "protocol/zookeeper/family.h"

namespace zablab::kafka {

struct Config {
  // ---- which nodes there are, from the scenario
  NodeKind kind{};
  std::vector<ServerId> brokers;
  std::vector<ServerId> stores;  ///< ZooKeeper's servers

  Millis session_timeout_ms = 6000;  ///< zookeeper.session.timeout.ms
  Millis tick_ms = 2000;             ///< of ZooKeeper: a session lasts at least two
  /// The brokers that have the partition, the preferred leader first; by default all.
  std::vector<ServerId> assignment;
  std::int64_t min_isr = 1;       ///< min.insync.replicas
  Millis replica_lag_ms = 30000;  ///< replica.lag.time.max.ms
  Millis fetch_wait_ms = 500;     ///< replica.fetch.wait.max.ms
  /// Of ZooKeeper's servers, or of a broker as their client; follows from the others.
  zookeeper::NodeConfig zookeeper;
  bool operator==(const Config&) const = default;
};
BOOST_DESCRIBE_STRUCT(Config, (),
                      (kind, brokers, stores, session_timeout_ms, tick_ms, assignment, min_isr,
                       replica_lag_ms, fetch_wait_ms, zookeeper))

}  // namespace zablab::kafka
