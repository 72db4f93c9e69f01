// Planted bugs, each by a name. A mutation changes a rule's value; the nodes do not know that there are any.
#pragma once

#include <span>
#include <string_view>

#include "protocol/leader_followers/rules.h"

namespace zablab::leader_followers {

struct Mutation {
  std::string_view name;
  std::string_view kind;      ///< "safety" or "liveness"
  std::string_view found_by;  ///< the invariant that it breaks, or how else it shows
  std::string_view text;
  std::string_view rule;
  std::string_view value;
};

std::span<const Mutation> mutations();
const Mutation* findMutation(std::string_view name);

/// Switches the mutation on in `rules`.
void mutate(Rules& rules, const Mutation& mutation);

}  // namespace zablab::leader_followers
