#include "protocol/recipes/program.h"

#include <type_traits>

namespace zablab::recipes {
namespace {

template <class R>
Program inLine(const Settings& settings) {
  R recipe;
  recipe.path = settings.path;
  recipe.prefix = settings.prefix;
  recipe.shared = settings.shared;
  recipe.resource = settings.resource;
  // A lock is acquired when its program is instructed to.
  recipe.leaving = !isElection(settings.recipe);
  if constexpr (std::is_same_v<R, Semaphore>) recipe.limit = settings.limit;
  if constexpr (std::is_same_v<R, SharedLock>) recipe.prefix = settings.shared ? read_prefix : write_prefix;
  return recipe;
}

template <class R>
R at(const Settings& settings) {
  R recipe;
  recipe.path = settings.path;
  return recipe;
}

}  // namespace

Program programOf(const Settings& settings) {
  switch (settings.recipe) {
    case Recipe::parent_watch_election: return inLine<ParentWatchElection>(settings);
    case Recipe::predecessor_watch_election: return inLine<PredecessorWatchElection>(settings);
    case Recipe::leader_latch: return inLine<LeaderLatch>(settings);
    case Recipe::lock: return inLine<Lock>(settings);
    case Recipe::shared_lock: return inLine<SharedLock>(settings);
    case Recipe::semaphore: return inLine<Semaphore>(settings);
    case Recipe::double_barrier: {
      DoubleBarrier barrier = at<DoubleBarrier>(settings);
      barrier.members = settings.limit;
      return barrier;
    }
    case Recipe::barrier: return at<Barrier>(settings);
    case Recipe::queue: return at<Queue>(settings);
    case Recipe::protected_queue: return at<ProtectedQueue>(settings);
    case Recipe::two_phase_commit: {
      TwoPhaseCommit transaction = at<TwoPhaseCommit>(settings);
      transaction.members = settings.limit;
      transaction.coordinator = settings.coordinator;
      return transaction;
    }
    case Recipe::configuration: {
      Configuration configuration = at<Configuration>(settings);
      configuration.parts = settings.limit;
      return configuration;
    }
    case Recipe::membership: return at<Membership>(settings);
    case Recipe::discovery: {
      Discovery discovery = at<Discovery>(settings);
      discovery.joins = !settings.shared;
      discovery.lists = settings.shared;
      return discovery;
    }
    case Recipe::naming: return at<Naming>(settings);
    case Recipe::resource:
    case Recipe::unfair_election: break;
  }
  return at<UnfairElection>(settings);
}

void step(const Hands& hands, Program& program, const Input& input) {
  std::visit(
      [&](auto& recipe) {
        using R = std::remove_cvref_t<decltype(recipe)>;
        if constexpr (std::is_base_of_v<Contender, R>) {
          step(hands, R::line, recipe, input);
        } else if constexpr (std::is_base_of_v<QueueClient, R> || std::is_base_of_v<Group, R>) {
          step(hands, R::recipe, recipe, input);
        } else {
          step(hands, recipe, input);
        }
      },
      program);
}

}  // namespace zablab::recipes
