// The family in words: how its messages and events are described to people.
#pragma once

#include <string>
#include <vector>

#include "protocol/quorum_register/family.h"
#include "sim/binding.h"
#include "sim/trace.h"

namespace zablab::quorum_register {

/// `v3 of w1`, `v0` for the first.
std::string text(const Names& name, const Version& version);
std::string label(const Names& name, const Message& message);
std::string_view typeName(const Message& message);
/// The types that belong together, which pictures colour alike.
std::vector<std::vector<std::string>> messageGroups();
std::string_view kindName(const Event& event);
/// The event's fields, and its picture if it has one.
Json data(const Names& name, const Event& event);
/// What client `self` is instructed to do, in one line.
std::string tell(const Names& name, ServerId self, const Request& request);
/// What node `self` did, in one line.
std::string tell(const Names& name, ServerId self, const Event& event);

}  // namespace zablab::quorum_register
