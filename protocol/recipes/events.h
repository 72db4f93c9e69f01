// What recipes report.
#pragma once

#include <boost/describe.hpp>
#include <cstdint>
#include <string>
#include <string_view>

#include "protocol/zookeeper/types.h"

namespace zablab::recipes {

using zookeeper::SessionId, zookeeper::no_session;

enum class Recipe : std::uint8_t {
  unfair_election,
  parent_watch_election,
  predecessor_watch_election,
  lock,
  shared_lock,
  semaphore,
  double_barrier,
  resource,  ///< what the holder of a lock uses
};
BOOST_DESCRIBE_ENUM(Recipe, unfair_election, parent_watch_election, predecessor_watch_election, lock,
                    shared_lock, semaphore, double_barrier, resource)

constexpr bool isElection(Recipe recipe) { return recipe <= Recipe::predecessor_watch_election; }
/// Whether its clients have nodes of their own below one parent node.
constexpr bool hasLine(Recipe recipe) {
  return isElection(recipe) ? recipe != Recipe::unfair_election : recipe <= Recipe::semaphore;
}

/// A client begins to run a recipe.
struct RecipeBegan {
  static constexpr std::string_view name = "recipe_began";
  Recipe recipe{};
  std::string path;
  bool operator==(const RecipeBegan&) const = default;
};
BOOST_DESCRIBE_STRUCT(RecipeBegan, (), (recipe, path))

enum class BeliefReason : std::uint8_t {
  created,       ///< it has created the node
  owner,         ///< the node is its own
  first,         ///< its node is the first of the line
  notified,      ///< its watch fired, and it did not look further
  empty_list,    ///< there is no node
  disconnected,  ///< it does not hear from its server
  session_over,
  left,
  closed,
  lost_place,  ///< its node is gone
  not_first,
};
BOOST_DESCRIBE_ENUM(BeliefReason, created, owner, first, notified, empty_list, disconnected, session_over,
                    left, closed, lost_place, not_first)

/// A client begins to believe that it is one that the recipe chooses, or stops to.
struct BeliefChanged {
  static constexpr std::string_view name = "belief";
  Recipe recipe{};
  std::string path;
  bool holds = false;
  BeliefReason reason{};
  std::string place;       ///< its own node
  std::int32_t limit = 1;  ///< how many may be it at a time; 0: all that share it
  SessionId session = no_session;
  bool operator==(const BeliefChanged&) const = default;
};
BOOST_DESCRIBE_STRUCT(BeliefChanged, (), (recipe, path, holds, reason, place, limit, session))

/// A client has a node in a line of nodes, or has none any more.
struct PlaceChanged {
  static constexpr std::string_view name = "place";
  std::string path;
  std::string place;  ///< its own node; empty: none
  bool operator==(const PlaceChanged&) const = default;
};
BOOST_DESCRIBE_STRUCT(PlaceChanged, (), (path, place))

/// What a client answers to the question whether it is the one.
struct Reported {
  static constexpr std::string_view name = "reported";
  bool holds = false;
  bool operator==(const Reported&) const = default;
};
BOOST_DESCRIBE_STRUCT(Reported, (), (holds))

/// A client has acquired what it holds as often as this, and has not released it.
struct DepthChanged {
  static constexpr std::string_view name = "depth";
  std::int32_t depth = 0;
  bool operator==(const DepthChanged&) const = default;
};
BOOST_DESCRIBE_STRUCT(DepthChanged, (), (depth))

/// A client is told to release or to use what it does not hold.
struct NotHeld {
  static constexpr std::string_view name = "not_held";
  bool operator==(const NotHeld&) const = default;
};
BOOST_DESCRIBE_STRUCT(NotHeld, (), ())

/// A client has entered a barrier, or has left it.
struct BarrierPassed {
  static constexpr std::string_view name = "barrier_passed";
  std::string path;
  std::int32_t members = 0;
  bool inside = false;
  bool operator==(const BarrierPassed&) const = default;
};
BOOST_DESCRIBE_STRUCT(BarrierPassed, (), (path, members, inside))

enum class GaveUpBecause : std::uint8_t { create_lost, base_exists, no_parent, no_connection };
BOOST_DESCRIBE_ENUM(GaveUpBecause, create_lost, base_exists, no_parent, no_connection)

/// A program ends without a place, and its session stays.
struct GaveUp {
  static constexpr std::string_view name = "gave_up";
  GaveUpBecause reason{};
  bool operator==(const GaveUp&) const = default;
};
BOOST_DESCRIBE_STRUCT(GaveUp, (), (reason))

}  // namespace zablab::recipes
