// A client connects to one server at a time, sends requests, and is answered in order. When the connection is
// lost, it cannot know the outcome of its unanswered requests.
#pragma once

#include "protocol/zab_register/family.h"

namespace zablab::zab {

void stepClient(const Context& ctx, const Input& input);

}  // namespace zablab::zab
