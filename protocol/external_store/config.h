// What every node of a run knows.
#pragma once

#include <boost/describe.hpp>
#include <vector>

#include "protocol/external_store/types.h"
#include "protocol/leader_followers/config.h"

namespace zablab::external_store {

struct Config {
  NodeKind kind{};
  std::vector<ServerId> candidates;
  std::vector<ServerId> stores;  ///< the store's servers
  ServerId resource = no_server;
  Millis ttl_ms = 3000;    ///< of a lease
  Millis margin_ms = 300;  ///< a candidate counts on its lease for so much less
  bool members = false;    ///< candidates register as members, and watch who the members are
  Millis work_ms = 20;     ///< from a client's request to the write at the resource
  Millis redial_ms = 100;
  Millis client_retry_ms = 100;
  Millis answer_limit_ms = 1000;  ///< after which a client gives up waiting for an answer
  // ---- a replicated store
  Millis election_timeout_min_ms = 1000;
  Millis election_timeout_max_ms = 1999;
  Millis heartbeat_ms = 100;
  bool idle_heartbeats = true;     ///< false: a heartbeat is sent only when it has content
  bool waits_for_disk = false;     ///< every write to the log is durable before the step continues
  Millis request_limit_ms = 3000;  ///< after which a server closes the connection of who has asked
  // ---- any store
  Millis lease_check_ms = 500;  ///< how often it looks which leases are over, since it started
  bool operator==(const Config&) const = default;

  /// No lease is granted for less: one and a half election timeouts, in whole seconds.
  Millis leastTtl() const {
    const Millis ticks = election_timeout_min_ms / heartbeat_ms;
    return (3 * ticks / 2 * heartbeat_ms + 999) / 1000 * 1000;
  }
  bool isReplicated() const { return stores.size() > 1; }
  /// The server of the store that a candidate or client turns to at its n-th turn.
  ServerId storeAt(std::int64_t turn) const { return stores[static_cast<std::size_t>(turn) % stores.size()]; }
  std::int64_t nextTurn(std::int64_t turn) const {
    return (turn + 1) % static_cast<std::int64_t>(stores.size());
  }
  /// Of the servers' log.
  leader_followers::Config log() const {
    return {.members = stores,
            .election_timeout_min_ms = election_timeout_min_ms,
            .election_timeout_max_ms = election_timeout_max_ms,
            .heartbeat_ms = heartbeat_ms,
            .check_quorum_ms = election_timeout_min_ms,
            .idle_heartbeats = idle_heartbeats,
            .waits_for_disk = waits_for_disk};
  }
};
BOOST_DESCRIBE_STRUCT(Config, (),
                      (kind, candidates, stores, resource, ttl_ms, margin_ms, members, work_ms, redial_ms,
                       client_retry_ms, answer_limit_ms, election_timeout_min_ms, election_timeout_max_ms,
                       heartbeat_ms, idle_heartbeats, waits_for_disk, request_limit_ms, lease_check_ms))

}  // namespace zablab::external_store
