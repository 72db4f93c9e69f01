// An election on an external store in words: how its messages and events are described to people.
#pragma once

#include <string>
#include <vector>

#include "protocol/external_store/family.h"
#include "sim/binding.h"
#include "sim/trace.h"

namespace zablab::external_store {

std::string label(const Names& name, const Message& message);
/// TXN, KEEPALIVE, ...
std::string_view typeName(const Message& message);
/// The types that belong together, which pictures colour alike.
std::vector<std::vector<std::string>> messageGroups();
std::string_view kindName(const Event& event);
/// The event's fields, and its picture if it has one.
Json data(const Names& name, const Event& event);
/// What node `self` is instructed to do, in one line.
std::string tell(const Names& name, ServerId self, const Request& request);
/// What node `self` did, in one line.
std::string tell(const Names& name, ServerId self, const Event& event);

}  // namespace zablab::external_store
