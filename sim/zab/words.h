// The ZAB family in words: how its messages and events are said to people.
#pragma once

#include <string>
#include <vector>

#include "protocol/zab_register/family.h"
#include "sim/binding.h"
#include "sim/trace.h"

namespace zablab::zab {

/// `1.11` for epoch 1, counter 11; `0`; `none` for no database; `-` for an observer's.
std::string text(Zxid zxid);
/// `(round, candidate, zxid)`, as the pictures of elections have it; a role in front of votes of those who
/// lead or follow.
std::string label(const Names& name, const Message& message);
/// NOTIFICATION, PING, ...
std::string_view typeName(const Message& message);
/// The types that belong together, for pictures to colour alike.
std::vector<std::vector<std::string>> messageGroups();
std::string_view kindName(const Event& event);
/// The event's fields, and its picture where it has one.
Json data(const Names& name, const Event& event);
/// What client `self` is told to do, in one line.
std::string tell(const Names& name, ServerId self, const Request& request);
/// What server `self` did, in one line.
std::string tell(const Names& name, ServerId self, const Event& event);

}  // namespace zablab::zab
