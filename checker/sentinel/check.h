// What an exhaustive search requires of Sentinel besides its steps.
#pragma once

#include <array>
#include <utility>
#include <vector>

#include "checker/check/book_monitors.h"
#include "checker/check/check_of.h"
#include "checker/sentinel/monitors.h"
#include "protocol/sentinel/family.h"

namespace zablab {

class SentinelMoves;

template <>
struct CheckOf<sentinel::Family> : BookMonitors<sentinel::Family, sentinel::Ledger, &sentinel::monitorsWith> {
  using F = sentinel::Family;
  using OwnMoves = SentinelMoves;
  using BookMonitors::BookMonitors;

  // ---- what guards have to know about a process
  static constexpr std::uint32_t settled = 1;  ///< it has begun no failover
  static constexpr std::uint32_t idle = 2;     ///< a client that waits for nothing
  static std::uint32_t view(const sentinel::Config& config, const sentinel::Rules& rules,
                            const sentinel::Node& node);
  /// An attempt begins, which `elections` counts.
  static bool looks(const sentinel::Event& event) { return holds_alternative<sentinel::TryFailover>(event); }
  static Fires firesByDefault(sentinel::TimerKind kind);
  /// The times between two ticks at which a sentinel's behaviour changes.
  static std::vector<Millis> thresholds(const sentinel::Config& config, sentinel::MarkKey) {
    return {config.tilt_trigger_ms + 1};
  }
  static constexpr std::size_t links_of_servers = 3;  ///< the last is for clients

  static constexpr std::array grains{Grain::settled};
};

extern template const FamilyCheck& theCheck<sentinel::Family>();

}  // namespace zablab
