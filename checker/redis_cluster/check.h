// What an exhaustive search requires of the family besides its steps. What can happen next is the same as in
// every family (checker/check/moves.h).
#pragma once

#include <utility>
#include <vector>

#include "checker/check/bounds.h"
#include "checker/check/interned.h"
#include "checker/check/search_monitors.h"
#include "checker/redis_cluster/monitors.h"
#include "protocol/redis_cluster/family.h"

namespace zablab {

template <>
struct CheckOf<redis_cluster::Family> : SearchMonitors<redis_cluster::Family, redis_cluster::Ledger> {
  using F = redis_cluster::Family;

  // ---- what guards have to know about a process
  static constexpr std::uint32_t idle = 1;    ///< a client that waits for nothing
  static constexpr std::uint32_t serves = 2;  ///< a master that executes requests
  static std::uint32_t view(const redis_cluster::Config& config, const redis_cluster::Rules& rules,
                            const redis_cluster::Node& node);
  static Fires firesByDefault(redis_cluster::TimerKind kind);
  /// Data are too old to replace the master, or not.
  static std::vector<Millis> thresholds(const redis_cluster::Config& config, redis_cluster::MarkKey mark);

  explicit CheckOf(const Cluster<F>& cluster);
  /// The memories of monitors that have seen only these disks, and the flags of nodes that already run.
  std::pair<std::vector<OwnMemory>, SharedMemory> memoriesOf(const WorldValue<F>& value);
};

}  // namespace zablab
