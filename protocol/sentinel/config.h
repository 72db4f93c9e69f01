// What a sentinel, a Redis server or a client is configured with. The default times are those of Redis,
// except for down_after_ms and failover_timeout_ms: Redis has 30,000 and 180,000.
#pragma once

#include <algorithm>
#include <boost/describe.hpp>
#include <cstdint>
#include <vector>

#include "protocol/sentinel/types.h"

namespace zablab::sentinel {

struct Config {
  NodeKind kind{};
  std::vector<ServerId> sentinels;
  std::vector<ServerId> redis;
  std::vector<ServerId> clients;
  ServerId master = no_server;  ///< at the beginning
  /// Sentinels that this one knows at the beginning, itself included; all if there are none.
  std::vector<ServerId> known;
  std::int64_t quorum = 2;  ///< sentinels that must see the master down
  Millis down_after_ms = 1000;
  Millis failover_timeout_ms = 5000;
  std::int64_t parallel_syncs = 1;
  std::int64_t priority = 100;  ///< of a replica; the lowest is promoted first, 0 never

  Millis tick_min_ms = 52;  ///< between two looks at everything; drawn anew each time
  Millis tick_max_ms = 100;
  Millis ping_ms = 1000;
  Millis info_ms = 10'000;
  Millis info_in_failover_ms = 1000;
  Millis hello_ms = 2000;
  Millis ask_ms = 1000;
  Millis desync_max_ms = 999;
  Millis election_timeout_max_ms = 10'000;
  Millis reconf_timeout_ms = 10'000;
  Millis tilt_trigger_ms = 2000;  ///< a longer time between two ticks; 0: it is not measured
  Millis tilt_ms = 30'000;

  Millis sync_retry_ms = 1000;      ///< before a replica connects to its master again
  Millis sync_timeout_ms = 60'000;  ///< for which it waits for the master's data
  std::int64_t min_replicas_to_write = 0;
  Millis min_replicas_max_lag_ms = 10'000;  ///< in whole seconds
  Millis replica_ack_ms = 1000;

  Millis client_retry_ms = 100;
  Millis answer_limit_ms = 1000;  ///< after which a client gives up waiting for an answer
  bool operator==(const Config&) const = default;

  /// The interval of pings to an instance.
  Millis pingMs() const { return std::min(down_after_ms, ping_ms); }
  Millis electionTimeoutMs() const { return std::min(election_timeout_max_ms, failover_timeout_ms); }
  bool isSentinel(ServerId id) const {
    return std::find(sentinels.begin(), sentinels.end(), id) != sentinels.end();
  }
  bool isRedis(ServerId id) const { return std::find(redis.begin(), redis.end(), id) != redis.end(); }
};
BOOST_DESCRIBE_STRUCT(Config, (),
                      (kind, sentinels, redis, clients, master, known, quorum, down_after_ms,
                       failover_timeout_ms, parallel_syncs, priority, tick_min_ms, tick_max_ms, ping_ms,
                       info_ms, info_in_failover_ms, hello_ms, ask_ms, desync_max_ms, election_timeout_max_ms,
                       reconf_timeout_ms, tilt_trigger_ms, tilt_ms, sync_retry_ms, sync_timeout_ms,
                       min_replicas_to_write, min_replicas_max_lag_ms, replica_ack_ms, client_retry_ms,
                       answer_limit_ms))

}  // namespace zablab::sentinel
