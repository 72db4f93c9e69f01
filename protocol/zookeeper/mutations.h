// The planted bugs, by name: those of the broadcast, and those of the service to clients.
#pragma once

#include <span>
#include <string_view>

#include "protocol/zookeeper/rules.h"

namespace zablab::zookeeper {

using zablab::mutate;
using zablab::Mutation;

std::span<const Mutation> mutations();
inline const Mutation* findMutation(std::string_view name) { return findRow(mutations(), name); }

}  // namespace zablab::zookeeper
