// A contender in a line: it creates an ephemeral sequential node, lists the line, and either is the one or
// watches what is before it. How recipes of this kind differ is a `Line`.
#pragma once

#include <boost/describe.hpp>
#include <optional>
#include <string>
#include <vector>

#include "protocol/recipes/holder.h"
#include "protocol/recipes/recipe.h"

namespace zablab::recipes {

enum class Stage : std::uint8_t {
  outside,    ///< it has no place and asks for none
  base,       ///< it makes sure that the parent node is there
  joining,    ///< it creates its node
  looking,    ///< it waits until it would see a node that it may have created
  listing,    ///< it lists the line
  observing,  ///< it sets its watch
  verifying,  ///< it reads whose its node is
  waiting,    ///< it has done everything, and waits for its watch if it is not the one
  leaving,    ///< it deletes its node
  suspended,  ///< it is not connected
};
BOOST_DESCRIBE_ENUM(Stage, outside, base, joining, looking, listing, observing, verifying, waiting, leaving,
                    suspended)

struct Contender : Holder {
  std::string prefix;  ///< of its node's name
  Stage stage{};
  bool unsure = false;  ///< it may have a node that it does not know
  std::string node;     ///< its own, as a path
  std::string watched;
  bool listed = false;     ///< under the rule `once`: it has watched the list
  bool shared = false;     ///< of a shared lock: as a reader
  std::int32_t limit = 1;  ///< how many may hold it
  std::int32_t depth = 0;  ///< how often it has acquired what it holds
  ServerId resource = no_server;
  bool operator==(const Contender&) const = default;
};
BOOST_DESCRIBE_STRUCT(Contender, (Holder),
                      (prefix, stage, unsure, node, watched, listed, shared, limit, depth, resource))

/// What distinguishes a recipe with a line from others.
struct Line {
  Recipe recipe{};
  bool election = false;          ///< it chooses a leader, and its clients take part at once
  bool watches_children = false;  ///< of the parent node; otherwise of what is before it
  bool checks_owner = false;      ///< keeps its place with a new session, and reads whose the node is
  /// The place of the node that `mine` waits for; empty: it waits for none.
  std::optional<std::size_t> (*before)(const RecipeRules& rules, const Contender& contender,
                                       const std::vector<std::string>& order, std::size_t mine) = nullptr;
};

/// One after the other.
std::optional<std::size_t> nextBefore(const RecipeRules& rules, const Contender& contender,
                                      const std::vector<std::string>& order, std::size_t mine);

void step(const Hands& hands, const Line& line, Contender& contender, const Input& input);

}  // namespace zablab::recipes
