#include "checker/built.h"

#include <algorithm>
#include <utility>

#include "sim/json.h"
#ifndef ZABLAB_PROTOCOLS  // else it is the one of an engine for pages
#include "checker/built_lists.h"
#endif

namespace zablab {

// Each is defined in its own checker/<family>/protocol.cc.
#define DECLARED(name) const Protocol& name();
ZABLAB_PROTOCOLS(DECLARED)
#undef DECLARED

// Each family that has recipes defines these in its checker/<family>/new_recipe.cc.
#define DECLARED(family)                                                   \
  namespace family {                                                       \
  std::vector<std::string> recipeNames();                                  \
  std::string newRecipe(const std::string& name, std::int64_t contenders); \
  }
ZABLAB_RECIPES(DECLARED)
#undef DECLARED

std::vector<const Protocol*> builtProtocols() {
#define ADDRESS(name) &name(),
  return {ZABLAB_PROTOCOLS(ADDRESS)};
#undef ADDRESS
}

std::optional<std::string> leftOut(std::string_view protocol) {
  const std::vector<std::string_view> names{ZABLAB_LEFT_OUT};
  if (std::find(names.begin(), names.end(), protocol) == names.end()) return std::nullopt;
  return "this program was built without the protocol " + inBackticks(std::string(protocol));
}

std::vector<std::string> recipeNames() {
  std::vector<std::string> all;
#define ADDED(family) \
  for (std::string & name : family::recipeNames()) all.push_back(std::move(name));
  ZABLAB_RECIPES(ADDED)
#undef ADDED
  return all;
}

std::string newRecipe([[maybe_unused]] const std::string& name, [[maybe_unused]] std::int64_t contenders) {
#define FOUND(family)                                             \
  if (const std::vector<std::string> own = family::recipeNames(); \
      std::find(own.begin(), own.end(), name) != own.end())       \
    return family::newRecipe(name, contenders);
  ZABLAB_RECIPES(FOUND)
#undef FOUND
  return {};
}

}  // namespace zablab
