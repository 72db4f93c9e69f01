// What a client runs: one recipe.
#pragma once

#include <span>

#include "protocol/recipes/barrier.h"
#include "protocol/recipes/configuration.h"
#include "protocol/recipes/double_barrier.h"
#include "protocol/recipes/group.h"
#include "protocol/recipes/leader_latch.h"
#include "protocol/recipes/lock.h"
#include "protocol/recipes/naming.h"
#include "protocol/recipes/parent_watch_election.h"
#include "protocol/recipes/predecessor_watch_election.h"
#include "protocol/recipes/queue.h"
#include "protocol/recipes/semaphore.h"
#include "protocol/recipes/shared_lock.h"
#include "protocol/recipes/two_phase_commit.h"
#include "protocol/recipes/unfair_election.h"
#include "protocol/variant.h"

namespace zablab::recipes {

#define TYPE(recipe, type) , type
template <class, class... R>
struct OneOf {
  using Type = variant<R...>;
};
using Program = OneOf<void RECIPES(TYPE)>::Type;
#undef TYPE

/// Whether it chooses a leader; its clients take part at once.
bool isElection(Recipe recipe);
/// Whether its clients have nodes of their own below one parent node, in an order.
bool hasLine(Recipe recipe);
/// What its clients are instructed to do, in the usual order.
std::span<const Act> actsOf(Recipe recipe);

Program programOf(const Settings& settings);
void step(const Hands& hands, Program& program, const Input& input);

}  // namespace zablab::recipes
