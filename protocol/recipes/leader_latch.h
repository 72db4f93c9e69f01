// A leader latch, as Curator has it: an election that watches predecessors. After a new session it looks for
// its node in the list, and reads whose it is before it leads.
#pragma once

#include "protocol/recipes/contender.h"

namespace zablab::recipes {

struct LeaderLatch : Contender {
  static constexpr std::string_view name = "leader_latch";
  static constexpr Line line{
      .recipe = Recipe::leader_latch, .election = true, .checks_owner = true, .before = nextBefore};
};
BOOST_DESCRIBE_STRUCT(LeaderLatch, (Contender), ())

}  // namespace zablab::recipes
