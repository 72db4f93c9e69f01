// Leader and Followers in words: how its messages and events are described to people.
#pragma once

#include <string>
#include <vector>

#include "protocol/leader_followers/family.h"
#include "sim/binding.h"
#include "sim/leader_followers/server_words.h"
#include "sim/trace.h"

namespace zablab::leader_followers {

struct Words {
  static Phrase label(const Names& name, const Message& message);
  /// The types that belong together, which pictures colour alike.
  static std::vector<std::vector<std::string>> messageGroups();
  /// The event's fields, and its picture if it has one.
  static Json data(const Names& name, const Event& event);
  /// What client `self` is instructed to do, in one line.
  static Phrase tell(const Names& name, ServerId self, const Request& request);
  /// What server `self` did, in one line.
  static Phrase tell(const Names& name, ServerId self, const Event& event);
  /// Who leads when the run ends, elected by whose votes, what was cut off a log since that election, and
  /// what was committed last, with whom: one sentence each.
  static std::vector<Phrase> answer(const Trace& trace);
};

}  // namespace zablab::leader_followers
