// A lock: the first of the line holds it, and every other client watches the node before its own. Whoever
// holds it may acquire it again, and gives it up when it has released it as often.
#pragma once

#include "protocol/recipes/contender.h"

namespace zablab::recipes {

struct Lock : Contender {
  static constexpr std::string_view name = "lock";
  static constexpr Line line{.recipe = Recipe::lock, .before = nextBefore};
};
BOOST_DESCRIBE_STRUCT(Lock, (Contender), ())

}  // namespace zablab::recipes
