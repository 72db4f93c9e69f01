// Random runs of ZooKeeper's servers.
#pragma once

#include <array>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "checker/family.h"
#include "protocol/zab_register/family.h"

namespace zablab {

template <>
struct FuzzOf<zab::Family> {
  using Counter = FuzzCounts<zab::Family>;

  static constexpr std::array settings{
      FuzzSetting{"hand_over", FuzzPreset::crashes, 120},   ///< who was behind is synchronized by a new
                                                            ///< leader, and both end in the midst of it
      FuzzSetting{"last_counter", FuzzPreset::swarm, 40},   ///< that of the first epoch is nearly used up
      FuzzSetting{"short_memory", FuzzPreset::swarm, 300},  ///< the committed log is short
      FuzzSetting{"no_disk_sync", FuzzPreset::swarm, 200},  ///< nobody is served from the log's files
      FuzzSetting{"always_snap", FuzzPreset::swarm, 100},   ///< learners always get SNAP
      FuzzSetting{"snapshots", FuzzPreset::swarm, 250},     ///< after every few transactions
      FuzzSetting{"slow_sync", FuzzPreset::swarm, 400},     ///< NEWLEADER comes some time after a learner is
                                                            ///< registered for proposals
      FuzzSetting{"long_back_off", FuzzPreset::swarm,
                  250},  ///< the wait for a notification doubles up to 60 s
  };
  static DrawnRun draw(const FuzzShape& shape, Choices& choices, const std::set<ServerId>& unable);

  static std::uint32_t placeOf(const zab::Node& node);
  static const std::uint32_t first_place;
  static std::string placeName(std::uint32_t place);

  static constexpr std::uint32_t all_operations = 1U << static_cast<unsigned>(zab::Operation::put) |
                                                  1U << static_cast<unsigned>(zab::Operation::read) |
                                                  1U << static_cast<unsigned>(zab::Operation::sync);
  static constexpr const char* operations_text = "a write, a read and a sync";
  static std::uint32_t answered(const zab::Event& event);
  static std::pair<ServerId, bool> clientOf(const zab::Node& node);
  static std::string settingOf(const Cluster<zab::Family>& cluster);

  static RunOutcome run(const LoadedScenario& scenario, const Judgement& judgement, Counter& counter,
                        std::uint64_t seed, std::unique_ptr<ChoiceSource> source, std::vector<Choice>* made);
};

}  // namespace zablab
