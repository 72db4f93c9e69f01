// Random runs of Sentinel. Sentinels correspond to a swarm's voters, and Redis servers to its observers.
#pragma once

#include <array>
#include <memory>
#include <set>
#include <string>
#include <utility>

#include "checker/family.h"
#include "protocol/sentinel/family.h"

namespace zablab {

template <>
struct FuzzOf<sentinel::Family> {
  using F = sentinel::Family;

  static constexpr std::array settings{
      FuzzSetting{"master_down", FuzzPreset::swarm, 800},   ///< the master is unavailable for a time
      FuzzSetting{"newcomers", FuzzPreset::swarm, 200},     ///< sentinels that do not know each other yet
      FuzzSetting{"far_quorum", FuzzPreset::swarm, 300},    ///< the quorum is not a majority
      FuzzSetting{"uninformed", FuzzPreset::swarm, 250},    ///< sentinels receive no HELLO for a time
      FuzzSetting{"priorities", FuzzPreset::swarm, 300},    ///< replicas have different priorities
      FuzzSetting{"lost_server", FuzzPreset::swarm, 500},   ///< a Redis server does not come back
      FuzzSetting{"few_replicas", FuzzPreset::swarm, 300},  ///< a master needs a replica to accept writes
  };
  static DrawnRun draw(const FuzzShape& shape, Choices& choices, const std::set<ServerId>& unable);

  /// A sentinel: how far its failover has got; a Redis server: its role.
  static std::uint32_t placeOf(const F::Node& node) {
    if (node.sentinel) return 1 + static_cast<std::uint32_t>(node.sentinel->state);
    if (!node.redis) return 0;
    return node.redis->master == node.self ? 100 : node.redis->link_up ? 101 : 102;
  }
  static constexpr std::uint32_t first_place = 0;
  static std::string placeName(std::uint32_t place);

  static constexpr std::uint32_t all_operations = 1U << static_cast<unsigned>(sentinel::Operation::write) |
                                                  1U << static_cast<unsigned>(sentinel::Operation::read);
  static constexpr const char* operations_text = "a write and a read";
  static std::uint32_t answered(const F::Event& event);
  static std::pair<ServerId, bool> clientOf(const F::Node& node);
  static std::string settingOf(const Cluster<F>& cluster);

  static std::unique_ptr<FuzzWatcher> watcher(const FuzzRun& run);
};

}  // namespace zablab
