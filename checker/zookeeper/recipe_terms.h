// What the judges of recipes know of them, apart from the clients' programs (docs/recipes.md).
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "protocol/recipes/list.h"

namespace zablab::zookeeper {

/// Whether its clients elect a leader.
constexpr bool electsLeader(recipes::Recipe recipe) {
  using enum recipes::Recipe;
  return recipe == unfair_election || recipe == parent_watch_election ||
         recipe == predecessor_watch_election || recipe == leader_latch;
}
/// Whether its clients have sequential nodes of their own below one node, and their turn in this order.
constexpr bool goesInTurn(recipes::Recipe recipe) {
  using enum recipes::Recipe;
  return recipe == parent_watch_election || recipe == predecessor_watch_election || recipe == leader_latch ||
         recipe == lock || recipe == shared_lock || recipe == semaphore;
}

/// The ten digits at the end of a sequential node's name; empty: it has none. The counter goes on behind its
/// largest value with negative numbers, which have a sign and ten digits.
constexpr std::optional<std::int64_t> placeNumber(std::string_view name) {
  constexpr std::size_t digits = 10;
  constexpr std::int64_t largest = 2'147'483'647;
  if (name.size() < digits) return std::nullopt;
  const std::size_t begin = name.size() - digits;
  std::int64_t number = 0;
  for (const char c : name.substr(begin)) {
    if (c < '0' || c > '9') return std::nullopt;
    number = 10 * number + (c - '0');
  }
  return number > largest && begin > 0 && name[begin - 1] == '-' ? -number : number;
}

/// Whether the node of a shared lock's line is a writer's.
constexpr bool isWritersPlace(std::string_view name) { return name.find("write-") != std::string_view::npos; }

}  // namespace zablab::zookeeper
