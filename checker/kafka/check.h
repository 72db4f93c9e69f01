// What an exhaustive search requires of the family besides its steps. What can happen next is the same as in
// every family (checker/check/moves.h).
#pragma once

#include <utility>
#include <vector>

#include "checker/check/bounds.h"
#include "checker/check/interned.h"
#include "checker/check/search_monitors.h"
#include "checker/kafka/monitors.h"
#include "protocol/kafka/family.h"

namespace zablab {

template <>
struct CheckOf<kafka::Family> : SearchMonitors<kafka::Family, kafka::Ledger> {
  using F = kafka::Family;

  // ---- what guards have to know about a process
  static constexpr std::uint32_t idle = 1;     ///< a client that waits for nothing
  static constexpr std::uint32_t settled = 2;  ///< a broker that has nothing to do, or another node
  static std::uint32_t view(const kafka::Config& config, const kafka::Rules& rules, const kafka::Node& node);
  static Fires firesByDefault(F::TimerKind kind);

  explicit CheckOf(const Cluster<F>& cluster) : SearchMonitors(cluster, &kafka::monitorsWith) {}
  /// The memories of monitors that have seen nothing yet: no process runs when a run begins.
  std::pair<std::vector<OwnMemory>, SharedMemory> memoriesOf(const WorldValue<F>& value);
};

}  // namespace zablab
