// The family in words: how its messages and events are described to people.
#pragma once

#include <string>
#include <vector>

#include "protocol/redis_cluster/family.h"
#include "sim/binding.h"
#include "sim/json.h"
#include "sim/phrase.h"
#include "sim/trace.h"

namespace zablab::redis_cluster {

struct Words {
  static Phrase label(const Names& names, const Message& message);
  /// The types that belong together, which pictures colour alike.
  static std::vector<std::vector<std::string>> messageGroups();
  /// The event's fields, and its picture if it has one.
  static Json data(const Names& names, const Event& event);
  /// What node `self` is told to do, in one line.
  static Phrase tell(const Names& names, ServerId self, const Request& request);
  /// What node `self` did, in one line.
  static Phrase tell(const Names& names, ServerId self, const Event& event);
  /// Flags by a majority, elections, and what was lost: one line for each.
  static std::vector<std::string> narrate(const Trace& trace);
  /// Who was promoted, and how the clients' requests ended.
  static std::vector<Phrase> answer(const Trace& trace);
};

}  // namespace zablab::redis_cluster
