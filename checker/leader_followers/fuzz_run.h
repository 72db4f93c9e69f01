// Random runs of Leader and Followers.
#pragma once

#include <array>
#include <memory>
#include <set>
#include <string>
#include <utility>

#include "checker/family.h"
#include "protocol/leader_followers/family.h"

namespace zablab {

template <>
struct FuzzOf<leader_followers::Family> {
  using F = leader_followers::Family;

  static constexpr std::array settings{
      FuzzSetting{"blocking_disk", FuzzPreset::swarm, 200},  ///< a step waits for its writes
  };
  static DrawnRun draw(const FuzzShape& shape, Choices& choices, const std::set<ServerId>& unable);

  static std::uint32_t placeOf(const F::Node& node) {
    return static_cast<std::uint32_t>(node.role) << 8 | static_cast<std::uint32_t>(node.campaign);
  }
  static constexpr std::uint32_t first_place = 0;
  static std::string placeName(std::uint32_t place);

  static constexpr std::uint32_t all_operations =
      1U << static_cast<unsigned>(leader_followers::Operation::put) |
      1U << static_cast<unsigned>(leader_followers::Operation::read);
  static constexpr const char* operations_text = "a write and a read";
  static std::uint32_t answered(const F::Event& event);
  static std::pair<ServerId, bool> clientOf(const F::Node& node);
  static std::string settingOf(const Cluster<F>& cluster);

  static std::unique_ptr<FuzzWatcher> watcher(const FuzzRun& run);
};

}  // namespace zablab
