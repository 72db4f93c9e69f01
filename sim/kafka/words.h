// Kafka's messages and events in words.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "protocol/kafka/family.h"
#include "sim/binding.h"
#include "sim/json.h"
#include "sim/phrase.h"
#include "sim/trace.h"

namespace zablab::kafka {

struct Words {
  static Phrase label(const Names& name, const Message& message);
  static Json data(const Names& name, const Event& event);
  static Phrase tell(const Names& name, ServerId self, const Event& event);
  static Phrase tell(const Names& name, ServerId self, const Request& request);
  /// Who was elected, resigned, and was made the leader of the partition.
  static std::vector<std::string> narrate(const Trace& trace);
  /// The last controller and the last leader, and how often there was another controller.
  static std::vector<Phrase> answer(const Trace& trace);
};

}  // namespace zablab::kafka
