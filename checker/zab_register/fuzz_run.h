// Random runs of the family `zab`.
#pragma once

#include <array>
#include <memory>
#include <set>
#include <string>
#include <utility>

#include "checker/family.h"
#include "checker/zab/fuzz_run.h"
#include "protocol/zab_register/family.h"

namespace zablab {

template <>
struct FuzzOf<zab::Family> : zab::BroadcastFuzz<zab::Family> {
  static DrawnRun draw(const FuzzShape& shape, Choices& choices, const std::set<ServerId>& unable);

  static constexpr std::uint32_t all_operations = 1U << static_cast<unsigned>(zab::Operation::put) |
                                                  1U << static_cast<unsigned>(zab::Operation::read) |
                                                  1U << static_cast<unsigned>(zab::Operation::sync);
  static constexpr const char* operations_text = "a write, a read and a sync";
  static std::uint32_t answered(const zab::Event& event);
  static std::pair<ServerId, bool> clientOf(const zab::Node& node);

  static std::unique_ptr<FuzzWatcher> watcher(const FuzzRun& run);
};

}  // namespace zablab
