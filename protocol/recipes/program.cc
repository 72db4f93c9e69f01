#include "protocol/recipes/program.h"

#include <array>
#include <type_traits>

namespace zablab::recipes {
namespace {

template <class R>
constexpr bool has_line = std::is_base_of_v<Contender, R>;

template <class R>
constexpr bool is_election = [] {
  if constexpr (has_line<R>) return R::line.election;
  return std::is_base_of_v<Holder, R>;
}();

constexpr std::array in_elections{Act::leave, Act::join};
constexpr std::array of_locks{Act::acquire, Act::release};

/// A recipe that chooses somebody has the same as others of its kind; each other recipe says what it obeys.
template <class R>
constexpr std::span<const Act> actsOfType() {
  if constexpr (is_election<R>) {
    return in_elections;
  } else if constexpr (has_line<R>) {
    return of_locks;
  } else {
    return R::acts;
  }
}

/// `configure` in a recipe's header takes what it alone has in its settings.
template <class R>
Program begun(const Settings& settings) {
  R recipe;
  recipe.path = settings.path;
  if constexpr (has_line<R>) {
    recipe.prefix = settings.prefix;
    recipe.shared = settings.shared;
    recipe.resource = settings.resource;
    // A lock is acquired when its program is instructed to.
    recipe.leaving = !is_election<R>;
  }
  if constexpr (requires { configure(recipe, settings); }) configure(recipe, settings);
  return recipe;
}

}  // namespace

bool isElection(Recipe recipe) {
  switch (recipe) {
#define KIND(name, type) \
  case Recipe::name: return is_election<type>;
    RECIPES(KIND)
#undef KIND
    case Recipe::resource: break;
  }
  return false;
}

bool hasLine(Recipe recipe) {
  switch (recipe) {
#define KIND(name, type) \
  case Recipe::name: return has_line<type>;
    RECIPES(KIND)
#undef KIND
    case Recipe::resource: break;
  }
  return false;
}

std::span<const Act> actsOf(Recipe recipe) {
  switch (recipe) {
#define ACTS(name, type) \
  case Recipe::name: return actsOfType<type>();
    RECIPES(ACTS)
#undef ACTS
    case Recipe::resource: break;
  }
  return {};
}

Program programOf(const Settings& settings) {
  switch (settings.recipe) {
#define BEGUN(name, type) \
  case Recipe::name: return begun<type>(settings);
    RECIPES(BEGUN)
#undef BEGUN
    case Recipe::resource: break;  // it is no recipe's client
  }
  return {};
}

void step(const Hands& hands, Program& program, const Input& input) {
  visit(
      [&](auto& recipe) {
        using R = std::remove_cvref_t<decltype(recipe)>;
        if constexpr (has_line<R>) {
          step(hands, R::line, recipe, input);
        } else if constexpr (requires { R::recipe; }) {
          step(hands, R::recipe, recipe, input);
        } else {
          step(hands, recipe, input);
        }
      },
      program);
}

}  // namespace zablab::recipes
