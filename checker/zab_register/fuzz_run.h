// Random runs of the family `zab`.
#pragma once

#include <array>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "checker/family.h"
#include "checker/zab/fuzz_run.h"
#include "protocol/zab_register/family.h"

namespace zablab {

template <>
struct FuzzOf<zab::Family> : zab::BroadcastFuzz<zab::Family> {
  using Counter = FuzzCounts<zab::Family>;

  static DrawnRun draw(const FuzzShape& shape, Choices& choices, const std::set<ServerId>& unable);

  static constexpr std::uint32_t all_operations = 1U << static_cast<unsigned>(zab::Operation::put) |
                                                  1U << static_cast<unsigned>(zab::Operation::read) |
                                                  1U << static_cast<unsigned>(zab::Operation::sync);
  static constexpr const char* operations_text = "a write, a read and a sync";
  static std::uint32_t answered(const zab::Event& event);
  static std::pair<ServerId, bool> clientOf(const zab::Node& node);

  static RunOutcome run(const LoadedScenario& scenario, const Judgement& judgement, Counter& counter,
                        std::uint64_t seed, std::unique_ptr<ChoiceSource> source, std::vector<Choice>* made);
};

}  // namespace zablab
