// What an exhaustive search requires of an election on an external store besides its steps. What can happen
// next is the same as in every family (checker/check/moves.h).
#pragma once

#include <utility>
#include <vector>

#include "checker/check/bounds.h"
#include "checker/check/interned.h"
#include "checker/check/search_monitors.h"
#include "checker/external_store/monitors.h"
#include "protocol/external_store/family.h"

namespace zablab {

template <>
struct CheckOf<external_store::Family> : SearchMonitors<external_store::Family, external_store::Ledger> {
  using F = external_store::Family;

  // ---- what guards have to know about a process
  static constexpr std::uint32_t idle = 1;  ///< it waits for no answer to a request
  static std::uint32_t view(const external_store::Config& config, const external_store::Rules& rules,
                            const external_store::Node& node);
  static Fires firesByDefault(external_store::TimerKind kind);
  /// The ages at which a candidate no longer counts on its lease.
  static std::vector<Millis> thresholds(const external_store::Config& config, external_store::MarkKey) {
    return {config.ttl_ms - config.margin_ms, config.ttl_ms};
  }

  explicit CheckOf(const Cluster<F>& cluster) : SearchMonitors(cluster, &external_store::monitorsWith) {}
  /// The memories of monitors that have seen only these disks, and the servers that already run.
  std::pair<std::vector<OwnMemory>, SharedMemory> memoriesOf(const WorldValue<F>& value);
};

}  // namespace zablab
