#include "protocol/recipes/line.h"

#include <algorithm>
#include <limits>
#include <utility>

namespace zablab::recipes {
namespace {

/// Sequential names end with ten digits.
constexpr std::size_t digits = 10;
/// The numbers have 32 bits: behind the largest comes the smallest, which has a sign before its ten digits.
constexpr std::int64_t largest = std::numeric_limits<std::int32_t>::max();

}  // namespace

std::optional<std::int64_t> numberOf(std::string_view name) {
  if (name.size() < digits) return std::nullopt;
  std::int64_t number = 0;
  for (const char c : name.substr(name.size() - digits)) {
    if (c < '0' || c > '9') return std::nullopt;
    number = number * 10 + (c - '0');
  }
  const bool negative = number > largest && name.size() > digits && name[name.size() - digits - 1] == '-';
  return negative ? -number : number;
}

std::vector<std::string> inOrder(std::vector<std::string> children, NumberOrder order) {
  std::vector<std::pair<std::int64_t, std::string>> numbered;
  numbered.reserve(children.size());
  for (std::string& name : children) {
    if (const auto number = numberOf(name)) numbered.emplace_back(*number, std::move(name));
  }
  std::sort(numbered.begin(), numbered.end());
  if (order == NumberOrder::wraps && !numbered.empty() &&
      numbered.back().first - numbered.front().first > largest) {
    // The counter has passed its largest value meanwhile.
    const auto early =
        std::find_if(numbered.begin(), numbered.end(), [](const auto& one) { return one.first >= 0; });
    std::rotate(numbered.begin(), early, numbered.end());
  }
  children.clear();
  for (auto& one : numbered) children.push_back(std::move(one.second));
  return children;
}

std::string guardOf(zookeeper::SessionId session) { return "_c_" + std::to_string(session) + "-"; }

}  // namespace zablab::recipes
