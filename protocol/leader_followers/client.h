// A client sends one request at a time to one server. When it is refused, it turns to the next server; when
// the connection ends or the time limit expires before the answer, it cannot know the outcome of the request.
#pragma once

#include <optional>

#include "protocol/leader_followers/context.h"
#include "protocol/leader_followers/family.h"

namespace zablab::leader_followers {

using Context = BasicContext<Register>;

/// `client`: the node's.
void stepClient(const Context& ctx, std::optional<Client>& client, const Input& input);

}  // namespace zablab::leader_followers
