// Leader and Followers in words: how its messages and events are described to people.
#pragma once

#include <string>
#include <vector>

#include "protocol/leader_followers/family.h"
#include "sim/binding.h"
#include "sim/leader_followers/server_words.h"
#include "sim/trace.h"

namespace zablab::leader_followers {

std::string label(const Names& name, const Message& message);
/// VOTE_REQUEST, APPEND, ...
std::string_view typeName(const Message& message);
/// The types that belong together, which pictures colour alike.
std::vector<std::vector<std::string>> messageGroups();
std::string_view kindName(const Event& event);
/// The event's fields, and its picture if it has one.
Json data(const Names& name, const Event& event);
/// What client `self` is instructed to do, in one line.
std::string tell(const Names& name, ServerId self, const Request& request);
/// What server `self` did, in one line.
std::string tell(const Names& name, ServerId self, const Event& event);

}  // namespace zablab::leader_followers
