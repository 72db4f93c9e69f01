// A client sends one request at a time to one server. When it is refused, it turns to the next server; when
// the connection ends or the time limit expires before the answer, it cannot know the outcome of the request.
#pragma once

#include "protocol/leader_followers/context.h"

namespace zablab::leader_followers {

void stepClient(const Context& ctx, const Input& input);

}  // namespace zablab::leader_followers
