#include "protocol/recipes/line.h"

#include <algorithm>

namespace zablab::recipes {
namespace {

/// Sequential names end with ten digits.
constexpr std::size_t digits = 10;

}  // namespace

std::optional<std::int64_t> numberOf(std::string_view name) {
  if (name.size() < digits) return std::nullopt;
  std::int64_t number = 0;
  for (const char c : name.substr(name.size() - digits)) {
    if (c < '0' || c > '9') return std::nullopt;
    number = number * 10 + (c - '0');
  }
  return number;
}

std::vector<std::string> inOrder(std::vector<std::string> children) {
  std::erase_if(children, [](const std::string& name) { return !numberOf(name); });
  std::sort(children.begin(), children.end(), [](const std::string& a, const std::string& b) {
    return numberOf(a) != numberOf(b) ? numberOf(a) < numberOf(b) : a < b;
  });
  return children;
}

std::string guardOf(zookeeper::SessionId session) { return "_c_" + std::to_string(session) + "-"; }

}  // namespace zablab::recipes
