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
  // A lock is acquired when its program is told to.
  recipe.leaving = !isElection(settings.recipe);
  if constexpr (std::is_same_v<R, Semaphore>) recipe.limit = settings.limit;
  if constexpr (std::is_same_v<R, SharedLock>) recipe.prefix = settings.shared ? read_prefix : write_prefix;
  return recipe;
}

}  // namespace

Program programOf(const Settings& settings) {
  switch (settings.recipe) {
    case Recipe::parent_watch_election: return inLine<ParentWatchElection>(settings);
    case Recipe::predecessor_watch_election: return inLine<PredecessorWatchElection>(settings);
    case Recipe::lock: return inLine<Lock>(settings);
    case Recipe::shared_lock: return inLine<SharedLock>(settings);
    case Recipe::semaphore: return inLine<Semaphore>(settings);
    case Recipe::double_barrier: {
      DoubleBarrier barrier;
      barrier.path = settings.path;
      barrier.members = settings.limit;
      return barrier;
    }
    case Recipe::resource:
    case Recipe::unfair_election: break;
  }
  UnfairElection election;
  election.path = settings.path;
  return election;
}

void step(const Hands& hands, Program& program, const Input& input) {
  std::visit(
      [&](auto& recipe) {
        using R = std::remove_cvref_t<decltype(recipe)>;
        if constexpr (std::is_base_of_v<Contender, R>) {
          step(hands, R::line, recipe, input);
        } else {
          step(hands, recipe, input);
        }
      },
      program);
}

}  // namespace zablab::recipes
