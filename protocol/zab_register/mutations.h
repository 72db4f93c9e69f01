// The planted bugs, by name: those of the broadcast, and those of the register.
#pragma once

#include <span>
#include <string_view>

#include "protocol/zab_register/rules.h"

namespace zablab::zab {

using zablab::mutate;
using zablab::Mutation;

std::span<const Mutation> mutations();
inline const Mutation* findMutation(std::string_view name) { return findRow(mutations(), name); }

}  // namespace zablab::zab
