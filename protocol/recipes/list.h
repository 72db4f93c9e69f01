// The recipes: each by its name and its type. Whatever has to know all of them follows from this list: their
// names in scenarios, what `zablab new` prints, what random runs draw.
#pragma once

#include <boost/describe.hpp>
#include <cstdint>

// clang-format off
#define RECIPES(RECIPE)                                          \
  RECIPE(unfair_election, UnfairElection)                        \
  RECIPE(parent_watch_election, ParentWatchElection)             \
  RECIPE(predecessor_watch_election, PredecessorWatchElection)   \
  RECIPE(leader_latch, LeaderLatch)                              \
  RECIPE(lock, Lock)                                             \
  RECIPE(shared_lock, SharedLock)                                \
  RECIPE(semaphore, Semaphore)                                   \
  RECIPE(double_barrier, DoubleBarrier)                          \
  RECIPE(barrier, Barrier)                                       \
  RECIPE(queue, Queue)                                           \
  RECIPE(protected_queue, ProtectedQueue)                        \
  RECIPE(two_phase_commit, TwoPhaseCommit)                       \
  RECIPE(configuration, Configuration)                           \
  RECIPE(membership, Membership)                                 \
  RECIPE(discovery, Discovery)                                   \
  RECIPE(naming, Naming)
// clang-format on

namespace zablab::recipes {

#define NAME(recipe, type) recipe,
/// `resource`: not a recipe, but what the holder of a lock uses.
enum class Recipe : std::uint8_t { RECIPES(NAME) resource };
BOOST_DESCRIBE_ENUM(Recipe, RECIPES(NAME) resource)
#undef NAME

}  // namespace zablab::recipes
