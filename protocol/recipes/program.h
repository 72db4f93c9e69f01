// What a client runs: one recipe.
#pragma once

#include <string>
#include <variant>

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

namespace zablab::recipes {

/// What a program is given when it begins.
struct Settings {
  Recipe recipe{};
  std::string path;               ///< of the node that the recipe is about
  std::string prefix;             ///< of the names of a line's nodes; a shared lock has its own
  bool shared = false;            ///< of a shared lock or a discovery: as a reader
  std::int32_t limit = 1;         ///< a semaphore's leases, a configuration's parts; otherwise members
  ServerId resource = no_server;  ///< that a holder uses
  bool coordinator = false;       ///< of a transaction
  bool operator==(const Settings&) const = default;
};
BOOST_DESCRIBE_STRUCT(Settings, (), (recipe, path, prefix, shared, limit, resource, coordinator))

using Program = std::variant<UnfairElection, ParentWatchElection, PredecessorWatchElection, LeaderLatch, Lock,
                             SharedLock, Semaphore, DoubleBarrier, Barrier, Queue, ProtectedQueue,
                             TwoPhaseCommit, Configuration, Membership, Discovery, Naming>;

Program programOf(const Settings& settings);
void step(const Hands& hands, Program& program, const Input& input);

}  // namespace zablab::recipes
