// The planted bugs and real habits of such stores, by name.
#pragma once

#include <span>
#include <string_view>

#include "protocol/quorum_register/rules.h"

namespace zablab::quorum_register {

using zablab::mutate;
using zablab::Mutation;

std::span<const Mutation> mutations();
inline const Mutation* findMutation(std::string_view name) { return findRow(mutations(), name); }

}  // namespace zablab::quorum_register
