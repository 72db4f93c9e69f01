// Groups: each member has an ephemeral node, and whoever watches the list of children knows who is there.
// In a discovery providers of a service are the members, and their clients alone watch.
#pragma once

#include <array>
#include <vector>

#include "protocol/recipes/worker.h"

namespace zablab::recipes {

struct Group : Worker {
  bool joins = true;     ///< it has a node, or wants one
  bool joined = false;   ///< it has it
  bool lists = true;     ///< it wants to know the members
  bool stale = true;     ///< what it knows of them
  bool seen = false;     ///< it has listed them
  bool rewatch = false;  ///< under the rule `after_the_read`: its watch is still to be set
  std::vector<std::string> members;
  bool operator==(const Group&) const = default;
};
BOOST_DESCRIBE_STRUCT(Group, (Worker), (joins, joined, lists, stale, seen, rewatch, members))

struct Membership : Group {
  static constexpr std::string_view name = "membership";
  static constexpr Recipe recipe = Recipe::membership;
  static constexpr std::array acts{Act::leave, Act::join};
};
BOOST_DESCRIBE_STRUCT(Membership, (Group), ())

struct Discovery : Group {
  static constexpr std::string_view name = "discovery";
  static constexpr Recipe recipe = Recipe::discovery;
  static constexpr std::array acts{Act::leave, Act::join};
};
BOOST_DESCRIBE_STRUCT(Discovery, (Group), ())

inline void configure(Discovery& discovery, const Settings& settings) {
  discovery.joins = !settings.shared;
  discovery.lists = settings.shared;
}

void step(const Hands& hands, Recipe recipe, Group& group, const Input& input);

}  // namespace zablab::recipes
