// What a client runs: one recipe.
#pragma once

#include <string>
#include <variant>

#include "protocol/recipes/double_barrier.h"
#include "protocol/recipes/lock.h"
#include "protocol/recipes/parent_watch_election.h"
#include "protocol/recipes/predecessor_watch_election.h"
#include "protocol/recipes/semaphore.h"
#include "protocol/recipes/shared_lock.h"
#include "protocol/recipes/unfair_election.h"

namespace zablab::recipes {

/// What a program is given when it begins.
struct Settings {
  Recipe recipe{};
  std::string path;               ///< of the node that the recipe is about
  std::string prefix;             ///< of the names of a line's nodes; a shared lock has its own
  bool shared = false;            ///< of a shared lock: as a reader
  std::int32_t limit = 1;         ///< of a semaphore: its leases; of a barrier: its members
  ServerId resource = no_server;  ///< that a holder uses
  bool operator==(const Settings&) const = default;
};
BOOST_DESCRIBE_STRUCT(Settings, (), (recipe, path, prefix, shared, limit, resource))

using Program = std::variant<UnfairElection, ParentWatchElection, PredecessorWatchElection, Lock, SharedLock,
                             Semaphore, DoubleBarrier>;

Program programOf(const Settings& settings);
void step(const Hands& hands, Program& program, const Input& input);

}  // namespace zablab::recipes
