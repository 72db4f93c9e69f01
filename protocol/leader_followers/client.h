// A client: it asks one server one thing at a time. Turned away, it asks the next server; when the connection
// or its patience ends before the answer, it cannot know what became of the request.
#pragma once

#include "protocol/leader_followers/context.h"

namespace zablab::leader_followers {

void stepClient(const Context& ctx, const Input& input);

}  // namespace zablab::leader_followers
