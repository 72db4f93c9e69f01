// Planted bugs, each by a name: real ones of ZooKeeper's past where there was one.
#pragma once

#include <span>
#include <string_view>

#include "protocol/zab/rules.h"

namespace zablab::zab {

using zablab::mutate;
using zablab::Mutation;

std::span<const Mutation> mutations();
inline const Mutation* findMutation(std::string_view name) { return findRow(mutations(), name); }

}  // namespace zablab::zab
