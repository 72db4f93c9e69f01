// A client: it turns to one server at a time, asks, and is answered in order. When the connection is lost, it
// cannot know what became of what it had asked.
#pragma once

#include "protocol/zab_register/family.h"

namespace zablab::zab {

void stepClient(const Context& ctx, const Input& input);

}  // namespace zablab::zab
