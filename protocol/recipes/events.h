// What recipes report.
#pragma once

#include <boost/describe.hpp>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "protocol/recipes/list.h"
#include "protocol/zookeeper/types.h"

namespace zablab::recipes {

using zookeeper::SessionId, zookeeper::no_session;

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

/// A client is instructed to release or to use what it does not hold.
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

/// A client has put an item into a queue, or does not know whether it has.
struct ItemPut {
  static constexpr std::string_view name = "item_put";
  std::string path;
  std::string item;  ///< the node; empty: not known
  bool operator==(const ItemPut&) const = default;
};
BOOST_DESCRIBE_STRUCT(ItemPut, (), (path, item))

/// A client has taken an item from a queue, and processes it.
struct ItemTaken {
  static constexpr std::string_view name = "item_taken";
  std::string path;
  std::string item;
  std::string data;
  SessionId session = no_session;
  bool operator==(const ItemTaken&) const = default;
};
BOOST_DESCRIBE_STRUCT(ItemTaken, (), (path, item, data, session))

/// A site of a transaction has voted.
struct SiteVoted {
  static constexpr std::string_view name = "site_voted";
  std::string path;
  bool commit = false;
  bool operator==(const SiteVoted&) const = default;
};
BOOST_DESCRIBE_STRUCT(SiteVoted, (), (path, commit))

/// A client knows how a transaction ends.
struct TransactionDecided {
  static constexpr std::string_view name = "transaction_decided";
  std::string path;
  bool commit = false;
  std::int32_t members = 0;
  bool operator==(const TransactionDecided&) const = default;
};
BOOST_DESCRIBE_STRUCT(TransactionDecided, (), (path, commit, members))

/// An application works with this configuration from now on.
struct Configured {
  static constexpr std::string_view name = "configured";
  std::string path;
  std::vector<std::string> values;  ///< one for each part
  std::vector<std::int32_t> versions;
  bool operator==(const Configured&) const = default;
};
BOOST_DESCRIBE_STRUCT(Configured, (), (path, values, versions))

/// An application has started what its configuration tells it to run, or has stopped it.
struct ContainerChanged {
  static constexpr std::string_view name = "container";
  bool runs = false;
  bool operator==(const ContainerChanged&) const = default;
};
BOOST_DESCRIBE_STRUCT(ContainerChanged, (), (runs))

/// A client knows these as the members of a group.
struct MembersSeen {
  static constexpr std::string_view name = "members_seen";
  std::string path;
  std::vector<std::string> members;
  bool operator==(const MembersSeen&) const = default;
};
BOOST_DESCRIBE_STRUCT(MembersSeen, (), (path, members))

/// A client turns to this provider of a service.
struct ProviderChosen {
  static constexpr std::string_view name = "provider_chosen";
  std::string path;
  std::string provider;  ///< empty: there is none
  bool operator==(const ProviderChosen&) const = default;
};
BOOST_DESCRIBE_STRUCT(ProviderChosen, (), (path, provider))

/// A client was given a name.
struct NameGiven {
  static constexpr std::string_view name = "name_given";
  std::string given;
  bool operator==(const NameGiven&) const = default;
};
BOOST_DESCRIBE_STRUCT(NameGiven, (), (given))

enum class GaveUpBecause : std::uint8_t { create_lost, base_exists, no_parent, no_connection, invalid_path };
BOOST_DESCRIBE_ENUM(GaveUpBecause, create_lost, base_exists, no_parent, no_connection, invalid_path)

/// A program ends without a place, and its session stays.
struct GaveUp {
  static constexpr std::string_view name = "gave_up";
  GaveUpBecause reason{};
  bool operator==(const GaveUp&) const = default;
};
BOOST_DESCRIBE_STRUCT(GaveUp, (), (reason))

}  // namespace zablab::recipes
