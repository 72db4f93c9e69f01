// What a server or client is configured with.
#pragma once

#include <algorithm>
#include <boost/describe.hpp>
#include <vector>

#include "protocol/leader_followers/types.h"

namespace zablab::leader_followers {

struct Config {
  std::vector<ServerId> members;
  /// A server that receives nothing from a leader for a time drawn from this range looks for a leader. The
  /// time is drawn anew whenever the timer is armed.
  Millis election_timeout_min_ms = 1000;
  Millis election_timeout_max_ms = 1999;
  Millis heartbeat_ms = 100;
  /// A leader that has received nothing from a follower for this long counts it as silent.
  Millis check_quorum_ms = 1000;
  /// False: a heartbeat is sent only when it has content.
  bool idle_heartbeats = true;
  /// Every write is durable before the step continues; otherwise it becomes durable later, and messages that
  /// report it wait until then.
  bool waits_for_disk = false;
  Millis client_retry_ms = 200;   ///< before a client that was refused asks the next server
  Millis answer_limit_ms = 5000;  ///< after which a client gives up waiting for an answer
  bool client = false;            ///< a client, not a server
  bool operator==(const Config&) const = default;

  /// More than half of the members.
  bool isQuorum(std::size_t servers) const { return 2 * servers > members.size(); }
  bool isMember(ServerId id) const { return std::find(members.begin(), members.end(), id) != members.end(); }
};
BOOST_DESCRIBE_STRUCT(Config, (),
                      (members, election_timeout_min_ms, election_timeout_max_ms, heartbeat_ms,
                       check_quorum_ms, idle_heartbeats, waits_for_disk, client_retry_ms, answer_limit_ms,
                       client))

}  // namespace zablab::leader_followers
