// Random runs of an election on an external store. Candidates correspond to a swarm's voters; the store, of
// one server or of three, and the resource are its observers, without which no core serves.
#pragma once

#include <array>
#include <memory>
#include <set>
#include <string>
#include <utility>

#include "checker/family.h"
#include "protocol/external_store/family.h"

namespace zablab {

template <>
struct FuzzOf<external_store::Family> {
  using F = external_store::Family;

  static constexpr std::array settings{
      FuzzSetting{"leader_away", FuzzPreset::swarm, 800},  ///< candidates die, stand still, or are cut off
      FuzzSetting{"slow_store", FuzzPreset::swarm, 300},   ///< what the store says, or hears, is held back
      FuzzSetting{"resigns", FuzzPreset::swarm, 500},
      FuzzSetting{"members", FuzzPreset::swarm, 300},
      FuzzSetting{"store_leader_away", FuzzPreset::swarm, 600},  ///< a replicated store changes its leader
      FuzzSetting{"reads", FuzzPreset::swarm, 500},              ///< clients read who leads
  };
  static DrawnRun draw(const FuzzShape& shape, Choices& choices, const std::set<ServerId>& unable);

  /// A candidate: its role, and whether it has a lease; the store: whether there is a key, or its role.
  static std::uint32_t placeOf(const F::Node& node);
  static constexpr std::uint32_t first_place = 0;
  static std::string placeName(std::uint32_t place);

  static constexpr std::uint32_t all_operations = 1U
                                                  << static_cast<unsigned>(external_store::Operation::write);
  static constexpr const char* operations_text = "a write";
  static std::uint32_t answered(const F::Event& event);
  static std::pair<ServerId, bool> clientOf(const F::Node& node);
  static std::string settingOf(const Cluster<F>& cluster);

  static std::unique_ptr<FuzzWatcher> watcher(const FuzzRun& run);
};

}  // namespace zablab
