// What a server is configured with: members, quorums, limits. It never changes during a run.
#pragma once

#include <algorithm>
#include <boost/describe.hpp>
#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "protocol/vocabulary.h"

namespace zablab::zab {

struct Member {
  ServerId id = 0;
  bool observer = false;  ///< learns every transaction but has no vote
  std::int64_t weight = 1;
  /// The group it belongs to in a hierarchical quorum. Weights count only where there are groups.
  std::optional<std::int64_t> group = std::nullopt;
  bool operator==(const Member&) const = default;
};
BOOST_DESCRIBE_STRUCT(Member, (), (id, observer, weight, group))

/// One server's configuration. Servers may disagree: each has its own view.
struct Config {
  std::vector<Member> members;
  bool standalone = false;  ///< a single server without elections (ZooKeeperServerMain)
  Millis tick_ms = 2000;
  std::int64_t init_limit = 10;         ///< ticks a learner may take to connect and synchronize
  std::int64_t sync_limit = 5;          ///< ticks of silence after which a learner or its leader is given up
  Millis finalize_wait_ms = 200;        ///< how long a decided vote must stay unchallenged
  Millis min_notification_ms = 200;     ///< first wait for a notification
  Millis max_notification_ms = 60'000;  ///< cap of the doubling wait
  std::int64_t connect_attempts = 5;    ///< dials of a learner before it looks again
  Millis connect_retry_ms = 100;
  Millis observer_delay_ms = 200;  ///< longest pause of an observer before it looks again
  /// Longest time from a learner's registration for proposals to NEWLEADER. What is proposed and committed in
  /// this time is queued before it.
  Millis newleader_delay_ms = 0;
  bool autocreate = true;                ///< an empty data directory counts as an empty database
  std::int64_t committed_log_max = 500;  ///< committed transactions that a server keeps in memory, for DIFF
  bool force_snapshot = false;           ///< learners always get SNAP
  /// Learners that are behind the committed log are served from the log's files as long as the size of the
  /// files after the first is at most this share of the newest snapshot's size. 0: without limit; negative:
  /// never.
  std::int64_t log_to_snapshot_permille = 330;
  /// A server that has logged this many transactions since its last snapshot writes a snapshot of what it has
  /// applied and begins a log file. 0: never.
  std::int64_t snap_count = 0;
  /// How long such a snapshot takes. What is applied meanwhile gets into it, although it is named after its
  /// beginning, and a server that reads it applies that again. 0: no time.
  Millis snapshot_ms = 0;
  std::int64_t txn_bytes = 100;                  ///< size of a transaction in a snapshot or in the log
  std::int64_t log_file_min_bytes = 67'108'864;  ///< log files are preallocated

  bool operator==(const Config&) const = default;

  const Member* find(ServerId id) const {
    const auto at =
        std::find_if(members.begin(), members.end(), [id](const Member& m) { return m.id == id; });
    return at == members.end() ? nullptr : &*at;
  }
  bool isVoter(ServerId id) const {
    const Member* member = find(id);
    return member != nullptr && !member->observer;
  }
};
BOOST_DESCRIBE_STRUCT(Config, (),
                      (members, standalone, tick_ms, init_limit, sync_limit, finalize_wait_ms,
                       min_notification_ms, max_notification_ms, connect_attempts, connect_retry_ms,
                       observer_delay_ms, newleader_delay_ms, autocreate, committed_log_max, force_snapshot,
                       log_to_snapshot_permille, snap_count, snapshot_ms, txn_bytes, log_file_min_bytes))

}  // namespace zablab::zab
