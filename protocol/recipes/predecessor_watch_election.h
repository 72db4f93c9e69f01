// A fair election: the first of the line leads. Every other contender watches the node before its own, and a
// node that goes notifies one.
#pragma once

#include "protocol/recipes/contender.h"

namespace zablab::recipes {

struct PredecessorWatchElection : Contender {
  static constexpr std::string_view name = "predecessor_watch_election";
  static constexpr Line line{
      .recipe = Recipe::predecessor_watch_election, .election = true, .before = nextBefore};
};
BOOST_DESCRIBE_STRUCT(PredecessorWatchElection, (Contender), ())

}  // namespace zablab::recipes
