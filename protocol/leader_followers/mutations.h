// The planted bugs, by name.
#pragma once

#include <span>
#include <string_view>

#include "protocol/leader_followers/rules.h"

namespace zablab::leader_followers {

using zablab::mutate;
using zablab::Mutation;

std::span<const Mutation> mutations();
inline const Mutation* findMutation(std::string_view name) { return findRow(mutations(), name); }

}  // namespace zablab::leader_followers
