// The planted bugs, by name.
#pragma once

#include <span>
#include <string_view>

#include "protocol/external_store/rules.h"

namespace zablab::external_store {

using zablab::mutate;
using zablab::Mutation;

std::span<const Mutation> mutations();
inline const Mutation* findMutation(std::string_view name) { return findRow(mutations(), name); }

}  // namespace zablab::external_store
