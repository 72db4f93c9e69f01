// For tests that compare searches of the same models.
#pragma once

#include <doctest/doctest.h>

#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "checker/check/check.h"
#include "checker/protocol.h"
#include "tests/shipped.h"

namespace zablab {

inline void checkSameCounts(const CheckResult& result, const CheckResult& whole) {
  CHECK(result.verdict == whole.verdict);
  CHECK(result.violated == whole.violated);
  CHECK(result.distinct == whole.distinct);
  CHECK(result.generated == whole.generated);
  CHECK(result.pruned == whole.pruned);
  CHECK(result.terminal == whole.terminal);
  CHECK(result.depth == whole.depth);
  CHECK(result.moves == whole.moves);
  REQUIRE(result.goals.size() == whole.goals.size());
  for (std::size_t i = 0; i < whole.goals.size(); ++i) CHECK(result.goals[i].depth == whole.goals[i].depth);
  for (std::size_t i = 0; i < whole.invariants.size(); ++i)
    CHECK(result.invariants[i].verdict == whole.invariants[i].verdict);
}

/// Of each protocol the smallest shipped model with several levels of several blocks.
inline std::vector<LoadedModel> someModels() {
  std::map<std::string, std::vector<std::pair<std::uint64_t, LoadedModel>>> by_protocol;
  for (const std::string& path : shippedFiles()) {
    const Case one = loadCase(path);
    if (one.kind != Case::Kind::model || path.find("large-models") != std::string::npos) continue;
    const Model& model = one.model.spec;
    const auto states = static_cast<std::uint64_t>(model.expect.distinct.value_or(0));
    if (states < 2000 || model.expect.verdict != "holds" || !model.liveness.empty()) continue;
    by_protocol[model.protocol.empty() ? std::string(protocols().front()->name()) : model.protocol].push_back(
        {states, one.model});
  }
  std::vector<LoadedModel> chosen;
  for (const Protocol* protocol : protocols()) {
    CAPTURE(protocol->name());
    auto& models = by_protocol[std::string(protocol->name())];
    REQUIRE(!models.empty());
    std::sort(models.begin(), models.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
    chosen.push_back(models.front().second);
  }
  return chosen;
}

}  // namespace zablab
