// Random runs of any family built on the broadcast. fuzz_run_impl.h defines how they are judged.
#pragma once

#include <array>
#include <string>

#include "checker/fuzz/drawn.h"
#include "protocol/zab/family.h"
#include "sim/direct.h"

namespace zablab::zab {

/// `FuzzOf<F>` derives from it; it adds requests and answers.
template <class F>
struct BroadcastFuzz {
  static constexpr std::array settings{
      FuzzSetting{"hand_over", FuzzPreset::crashes, 120},   ///< a server that was behind is synchronized by a
                                                            ///< new leader, and both end during that
      FuzzSetting{"last_counter", FuzzPreset::swarm, 40},   ///< the first epoch's counter is nearly used up
      FuzzSetting{"short_memory", FuzzPreset::swarm, 300},  ///< the committed log is short
      FuzzSetting{"no_disk_sync", FuzzPreset::swarm, 200},  ///< no learner is served from the log's files
      FuzzSetting{"always_snap", FuzzPreset::swarm, 100},   ///< learners always get SNAP
      FuzzSetting{"snapshots", FuzzPreset::swarm, 250},     ///< a snapshot after every few transactions
      FuzzSetting{"slow_sync", FuzzPreset::swarm, 400},     ///< NEWLEADER comes some time after a learner is
                                                            ///< registered for proposals
      FuzzSetting{"long_back_off", FuzzPreset::swarm,
                  250},  ///< the wait for a notification doubles up to 60 s
  };

  static constexpr std::uint32_t placeIn(Role role, Phase phase) {
    return static_cast<std::uint32_t>(role) << 8 | static_cast<std::uint32_t>(phase);
  }
  static std::uint32_t placeOf(const typename F::Node& node) { return placeIn(node.role, node.phase); }
  static constexpr std::uint32_t first_place = placeIn(Role::LOOKING, Phase::election);
  static std::string placeName(std::uint32_t place);
  static std::string settingOf(const Cluster<F>& cluster);
};

}  // namespace zablab::zab
