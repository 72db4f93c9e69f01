// Random runs of Redis Clusters.
#pragma once

#include <array>
#include <memory>
#include <set>
#include <string>
#include <utility>

#include "checker/family.h"
#include "protocol/redis_cluster/family.h"

namespace zablab {

template <>
struct FuzzOf<redis_cluster::Family> {
  using F = redis_cluster::Family;

  static constexpr std::array settings{
      FuzzSetting{"datagrams", FuzzPreset::lossy, 600},    ///< messages of the bus are lost, or arrive twice
      FuzzSetting{"replication", FuzzPreset::lossy, 500},  ///< a replica's connection to its master breaks
      FuzzSetting{"equal_epochs", FuzzPreset::calm,
                  200},                                  ///< masters begin with the same configuration epoch
      FuzzSetting{"failovers", FuzzPreset::lossy, 300},  ///< replicas are instructed to replace their masters
      FuzzSetting{"validity", FuzzPreset::swarm, 200},   ///< data may be too old to replace a master
      FuzzSetting{"siblings", FuzzPreset::calm, 500},    ///< masters of eight nodes have two replicas
  };
  static DrawnRun draw(const FuzzShape& shape, Choices& choices, const std::set<ServerId>& unable);

  /// The stage of a replica's attempt, and whether it is a master, or serves.
  static std::uint32_t placeOf(const F::Node& node) {
    const auto own = node.conf.nodes.find(node.self);
    const bool master = own != node.conf.nodes.end() && own->second.master == no_server;
    return static_cast<std::uint32_t>(node.attempt.stage) << 2 | (master ? 2U : 0U) | (node.serves ? 1U : 0U);
  }
  static constexpr std::uint32_t first_place = 0;
  static std::string placeName(std::uint32_t place);

  static constexpr std::uint32_t all_operations =
      1U << static_cast<unsigned>(redis_cluster::Operation::write) |
      1U << static_cast<unsigned>(redis_cluster::Operation::read);
  static constexpr const char* operations_text = "a write and a read";
  static std::uint32_t answered(const F::Event& event);
  /// It turns to no server for good, and ends each request by itself.
  static std::pair<ServerId, bool> clientOf(const F::Node&) { return {no_server, false}; }
  static std::string settingOf(const Cluster<F>& cluster);

  static std::unique_ptr<FuzzWatcher> watcher(const FuzzRun& run);
};

}  // namespace zablab
