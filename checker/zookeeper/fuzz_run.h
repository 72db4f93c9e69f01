// Random runs of the family `zookeeper`.
#pragma once

#include <memory>
#include <set>
#include <utility>

#include "checker/family.h"
#include "checker/zab/fuzz_run.h"
#include "protocol/zookeeper/family.h"

namespace zablab {

template <>
struct FuzzOf<zookeeper::Family> : zab::BroadcastFuzz<zookeeper::Family> {
  static DrawnRun draw(const FuzzShape& shape, Choices& choices, const std::set<ServerId>& unable);

  /// Of a probe: a session, a write and a read.
  static constexpr std::uint32_t all_operations = 7;
  static constexpr const char* operations_text = "a session, a write and a read";
  static std::uint32_t answered(const zookeeper::Event& event);
  static std::pair<ServerId, bool> clientOf(const zookeeper::Node& node);

  static std::unique_ptr<FuzzWatcher> watcher(const FuzzRun& run);
};

}  // namespace zablab
