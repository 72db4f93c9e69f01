#include "checker/check/check.h"

namespace zablab {

std::vector<std::string> compareWith(const ModelExpect& expect, const CheckResult& result) {
  std::vector<std::string> problems;
  const auto compare = [&](const char* what, const std::optional<std::uint64_t>& wanted, std::uint64_t is) {
    if (wanted && *wanted != is) {
      problems.push_back(std::string(what) + ": " + std::to_string(is) + ", and the model expects " +
                         std::to_string(*wanted));
    }
  };
  if (expect.verdict != result.verdict) {
    problems.push_back("verdict: " + result.verdict + ", and the model expects " + expect.verdict);
  }
  if (!expect.invariant.empty() && expect.invariant != result.violated) {
    problems.push_back("violated: " + (result.violated.empty() ? "nothing" : result.violated) +
                       ", and the model expects " + expect.invariant);
  }
  for (const auto& goal : result.goals) {
    if (!goal.never && !goal.depth) problems.push_back("not reached: " + goal.name);
  }
  compare("distinct states", expect.distinct, result.distinct);
  compare("generated states", expect.generated, result.generated);
  compare("depth", expect.depth, result.depth);
  compare("length of the counterexample", expect.length, result.scenario ? result.length : 0);
  return problems;
}

}  // namespace zablab
