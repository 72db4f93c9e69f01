// Scenarios to start from, one for each recipe.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace zablab::zookeeper {

/// The recipes' names, as `zablab new --recipe` takes them: `leader-latch`.
std::vector<std::string> recipeNames();

/// A scenario in which this many clients run the recipe of that name. Its expectations hold.
std::string newRecipe(const std::string& name, std::int64_t contenders);

}  // namespace zablab::zookeeper
