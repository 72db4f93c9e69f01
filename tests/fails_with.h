// What a file names in `fails_with`, as changes of a run.
#pragma once

#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <string_view>

#include "checker/execute.h"

namespace zablab {

inline Overrides overridesOf(const FailsWith& how) {
  Overrides overrides;
  if (!how.mutation.empty()) overrides.mutations.push_back(how.mutation);
  if (!how.variant.empty()) overrides.variant = how.variant;
  constexpr std::string_view separator = ", ";
  for (std::size_t at = 0; at < how.rule.size();) {
    const std::size_t end = std::min(how.rule.find(separator, at), how.rule.size());
    const std::string one = how.rule.substr(at, end - at);
    const std::size_t equals = one.find('=');
    REQUIRE(equals != std::string::npos);
    overrides.rules.emplace_back(one.substr(0, equals), one.substr(equals + 1));
    at = end + separator.size();
  }
  return overrides;
}

}  // namespace zablab
