// Sentinel in words: how its messages and events are described to people.
#pragma once

#include <string>
#include <vector>

#include "protocol/sentinel/family.h"
#include "sim/binding.h"
#include "sim/json.h"
#include "sim/phrase.h"
#include "sim/trace.h"

namespace zablab::sentinel {

struct Words {
  static Phrase label(const Names& name, const Message& message);
  /// The types that belong together, which pictures colour alike.
  static std::vector<std::vector<std::string>> messageGroups();
  /// The event's fields, and its picture if it has one.
  static Json data(const Names& name, const Event& event);
  /// What client `self` is instructed to do, in one line.
  static Phrase tell(const Names& name, ServerId self, const Request& request);
  /// What node `self` did, in one line.
  static Phrase tell(const Names& name, ServerId self, const Event& event);
  /// Which configuration each sentinel follows when the run ends, who was elected last, and how many of the
  /// acknowledged writes the new masters do not have: one sentence each.
  static std::vector<Phrase> answer(const Trace& trace);
};

}  // namespace zablab::sentinel
