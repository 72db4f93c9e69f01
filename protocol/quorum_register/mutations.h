// Planted bugs and real habits of such stores, each by a name. A mutation changes a rule's value; the nodes
// do not know that there are any.
#pragma once

#include <span>
#include <string_view>

#include "protocol/quorum_register/rules.h"

namespace zablab::quorum_register {

struct Mutation {
  std::string_view name;
  std::string_view issue;     ///< a number in some tracker; none has one
  std::string_view releases;  ///< of what has it
  std::string_view kind;      ///< "safety" or "liveness"
  std::string_view found_by;  ///< the invariant that it breaks
  std::string_view text;
  std::string_view rule;
  std::string_view value;
};

std::span<const Mutation> mutations();
const Mutation* findMutation(std::string_view name);

/// Switches the mutation on in `rules`.
void mutate(Rules& rules, const Mutation& mutation);

}  // namespace zablab::quorum_register
