// A fair election: the first of the line leads. Every contender watches the list of children, and every
// change of the line notifies all of them.
#pragma once

#include "protocol/recipes/contender.h"

namespace zablab::recipes {

struct ParentWatchElection : Contender {
  static constexpr std::string_view name = "parent_watch_election";
  static constexpr Line line{.recipe = Recipe::parent_watch_election,
                             .election = true,
                             .watches_children = true,
                             .before = nextBefore};
};
BOOST_DESCRIBE_STRUCT(ParentWatchElection, (Contender), ())

}  // namespace zablab::recipes
