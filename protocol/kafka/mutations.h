// The planted bugs, by name.
#pragma once

#include <span>
#include <string_view>

#include "protocol/kafka/rules.h"

namespace zablab::kafka {

using zablab::mutate;
using zablab::Mutation;

std::span<const Mutation> mutations();
inline const Mutation* findMutation(std::string_view name) { return findRow(mutations(), name); }

}  // namespace zablab::kafka
