// An election on an external store in words: how its messages and events are described to people.
#pragma once

#include <string>
#include <vector>

#include "protocol/external_store/family.h"
#include "sim/binding.h"
#include "sim/phrase.h"
#include "sim/trace.h"

namespace zablab::external_store {

struct Words {
  static Phrase label(const Names& name, const Message& message);
  /// The types that belong together, which pictures colour alike.
  static std::vector<std::vector<std::string>> messageGroups();
  /// The event's fields, and its picture if it has one.
  static Json data(const Names& name, const Event& event);
  /// What node `self` is instructed to do, in one line.
  static Phrase tell(const Names& name, ServerId self, const Request& request);
  /// What node `self` did, in one line.
  static Phrase tell(const Names& name, ServerId self, const Event& event);
  /// Who takes itself for the leader when the run ends, and how many attempts and notifications there were:
  /// one sentence each.
  static std::vector<Phrase> answer(const Trace& trace);
};

}  // namespace zablab::external_store
