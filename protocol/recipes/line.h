// A line: sequential nodes below one parent node, in the order of their numbers.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "protocol/recipes/rules.h"
#include "protocol/zookeeper/types.h"

namespace zablab::recipes {

/// The number that ZooKeeper has put at the end of a sequential node's name; empty if there is none.
std::optional<std::int64_t> numberOf(std::string_view name);

/// The names that have a number, in the order of their numbers.
std::vector<std::string> inOrder(std::vector<std::string> children, NumberOrder order = NumberOrder::wraps);

/// What the name of a node begins with whose session has to be able to find it (Curator's protection; there
/// it is a random identifier).
std::string guardOf(zookeeper::SessionId session);

}  // namespace zablab::recipes
