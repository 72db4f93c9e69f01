// The family in words: how its messages and events are described to people.
#pragma once

#include <string>
#include <vector>

#include "protocol/quorum_register/family.h"
#include "sim/binding.h"
#include "sim/trace.h"

namespace zablab::quorum_register {

struct Words {
  static std::string label(const Names& name, const Message& message);
  /// The types that belong together, which pictures colour alike.
  static std::vector<std::vector<std::string>> messageGroups();
  /// The event's fields, and its picture if it has one.
  static Json data(const Names& name, const Event& event);
  /// What client `self` is instructed to do, in one line.
  static std::string tell(const Names& name, ServerId self, const Request& request);
  /// What node `self` did, in one line.
  static std::string tell(const Names& name, ServerId self, const Event& event);
  /// How the last request of each client ended, and by which replicas, in the order of these ends; then the
  /// requests that have no answer.
  static std::vector<std::string> answer(const Trace& trace);
};

}  // namespace zablab::quorum_register
