#include "protocol/recipes/resource.h"

#include <algorithm>

namespace zablab::recipes {

bool Resource::use(const RecipeRules& rules, std::int64_t with) {
  if (rules.fencing == Fencing::checked && with < token) return false;
  token = std::max(token, with);
  return true;
}

}  // namespace zablab::recipes
