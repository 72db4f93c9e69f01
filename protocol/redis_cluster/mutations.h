// The planted bugs of a Redis Cluster, by name.
#pragma once

#include <span>
#include <string_view>

#include "protocol/redis_cluster/rules.h"

namespace zablab::redis_cluster {

using zablab::mutate;
using zablab::Mutation;

std::span<const Mutation> mutations();
inline const Mutation* findMutation(std::string_view name) { return findRow(mutations(), name); }

}  // namespace zablab::redis_cluster
