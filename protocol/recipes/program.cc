#include "protocol/recipes/program.h"

#include <type_traits>

namespace zablab::recipes {
namespace {

template <class R>
Program inLine(const Settings& settings) {
  R recipe;
  recipe.path = settings.path;
  recipe.prefix = settings.prefix;
  return recipe;
}

}  // namespace

Program programOf(const Settings& settings) {
  switch (settings.recipe) {
    case Recipe::parent_watch_election: return inLine<ParentWatchElection>(settings);
    case Recipe::predecessor_watch_election: return inLine<PredecessorWatchElection>(settings);
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
