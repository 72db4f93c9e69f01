// Kafka's messages and events in words.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "protocol/kafka/family.h"
#include "sim/binding.h"
#include "sim/json.h"

namespace zablab::kafka {

std::string label(const Names& name, const Message& message);
Json data(const Names& name, const Event& event);
std::string tell(const Names& name, ServerId self, const Event& event);
std::string tell(const Names& name, ServerId self, const Request& request);

}  // namespace zablab::kafka
