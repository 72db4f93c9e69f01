// What every node knows from the beginning: the cluster as it was created, and the time-outs.
#pragma once

#include <algorithm>
#include <boost/describe.hpp>
#include <cstdint>
#include <vector>

#include "protocol/redis_cluster/types.h"

namespace zablab::redis_cluster {

/// A node of the cluster when it was created.
struct Member {
  ServerId id = no_server;
  ServerId master = no_server;  ///< unset: it is a master
  std::int64_t config_epoch = 0;
  std::vector<Slot> slots;  ///< a master's
  bool operator==(const Member&) const = default;
};
BOOST_DESCRIBE_STRUCT(Member, (), (id, master, config_epoch, slots))

struct Config {
  std::vector<Member> members;
  Millis node_timeout_ms = 15'000;
  std::int64_t validity_factor = 10;  ///< cluster-replica-validity-factor
  Millis repl_ping_ms = 10'000;       ///< repl-ping-replica-period
  Millis repl_retry_ms = 1000;        ///< after which a replica dials its master again
  Millis start_wait_ms = 2000;        ///< a master that starts does not serve before
  Millis request_limit_ms = 1000;     ///< after which a client gives up
  bool full_coverage = true;          ///< cluster-require-full-coverage
  bool client = false;                ///< a client, not a node of the cluster
  bool operator==(const Config&) const = default;

  Millis authTimeout() const { return std::max<Millis>(2 * node_timeout_ms, 2000); }
  Millis authRetry() const { return 2 * authTimeout(); }
};
BOOST_DESCRIBE_STRUCT(Config, (),
                      (members, node_timeout_ms, validity_factor, repl_ping_ms, repl_retry_ms, start_wait_ms,
                       request_limit_ms, full_coverage, client))

}  // namespace zablab::redis_cluster
