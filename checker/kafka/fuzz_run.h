// Random runs of Kafka. Brokers correspond to a swarm's voters, and ZooKeeper's server to its observer.
#pragma once

#include <array>
#include <memory>
#include <set>
#include <string>
#include <utility>

#include "checker/family.h"
#include "protocol/kafka/family.h"

namespace zablab {

template <>
struct FuzzOf<kafka::Family> {
  using F = kafka::Family;

  static constexpr std::array settings{
      FuzzSetting{"sessions_lost", FuzzPreset::swarm, 700},  ///< brokers are cut off from ZooKeeper
      FuzzSetting{"operator", FuzzPreset::swarm, 600},       ///< somebody deletes /controller
      FuzzSetting{"assignment", FuzzPreset::swarm, 700},     ///< the preferred leader is not the lowest id
  };
  static DrawnRun draw(const FuzzShape& shape, Choices& choices, const std::set<ServerId>& unable);

  /// Of a broker: for which answer it waits, whether it is the controller, and what its replica does.
  static std::uint32_t placeOf(const F::Node& node) {
    if (!node.broker) return 0;
    const auto stage = static_cast<std::uint32_t>(node.broker->stage);
    const auto role = static_cast<std::uint32_t>(node.broker->replica.role);
    return 1 + (stage * 2 + (node.broker->active ? 1 : 0)) * replica_roles + role;
  }
  static constexpr std::uint32_t replica_roles = enumCount<kafka::ReplicaRole>();
  static constexpr std::uint32_t first_place = 0;
  static std::string placeName(std::uint32_t place);

  static constexpr std::uint32_t all_operations = 1U << static_cast<unsigned>(kafka::Operation::metadata) |
                                                  1U << static_cast<unsigned>(kafka::Operation::produce) |
                                                  1U << static_cast<unsigned>(kafka::Operation::consume);
  static constexpr const char* operations_text = "metadata, a record and a read";
  static std::uint32_t answered(const F::Event& event);
  static std::pair<ServerId, bool> clientOf(const F::Node& node);
  static std::string settingOf(const Cluster<F>& cluster);

  static std::unique_ptr<FuzzWatcher> watcher(const FuzzRun& run);
};

}  // namespace zablab
