// An unfair election: who creates the node leads. All others watch it, and when it goes each tries to create
// it again: whoever is first, leads.
#pragma once

#include <boost/describe.hpp>
#include <string>

#include "protocol/recipes/holder.h"
#include "protocol/recipes/recipe.h"

namespace zablab::recipes {

enum class Attempt : std::uint8_t { outside, creating, looking, observing, waiting, leaving, suspended };
BOOST_DESCRIBE_ENUM(Attempt, outside, creating, looking, observing, waiting, leaving, suspended)

struct UnfairElection : Holder {
  static constexpr std::string_view name = "unfair_election";
  Attempt stage{};
  bool unsure = false;  ///< whether what it asked last was carried out
  std::string node;     ///< the path, if the node is its own
  bool operator==(const UnfairElection&) const = default;
};
BOOST_DESCRIBE_STRUCT(UnfairElection, (Holder), (stage, unsure, node))

void step(const Hands& hands, UnfairElection& election, const Input& input);

}  // namespace zablab::recipes
