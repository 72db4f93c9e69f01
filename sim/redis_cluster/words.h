// The family in words: how its messages and events are described to people.
#pragma once

#include <string>
#include <vector>

#include "protocol/redis_cluster/family.h"
#include "sim/binding.h"
#include "sim/trace.h"

namespace zablab::redis_cluster {

std::string label(const Names& names, const Message& message);
std::string_view typeName(const Message& message);
/// The types that belong together, which pictures colour alike.
std::vector<std::vector<std::string>> messageGroups();
std::string_view kindName(const Event& event);
/// The event's fields, and its picture if it has one.
Json data(const Names& names, const Event& event);
/// What node `self` is told to do, in one line.
std::string tell(const Names& names, ServerId self, const Request& request);
/// What node `self` did, in one line.
std::string tell(const Names& names, ServerId self, const Event& event);

}  // namespace zablab::redis_cluster
