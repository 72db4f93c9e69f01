#include "protocol/recipes/semaphore.h"

namespace zablab::recipes {

std::optional<std::size_t> leaseBefore(const RecipeRules& rules, const Contender& contender,
                                       const std::vector<std::string>&, std::size_t mine) {
  const std::int64_t leases = contender.limit + (rules.leases == Leases::one_more ? 1 : 0);
  return static_cast<std::int64_t>(mine) < leases ? std::nullopt : std::optional(mine);
}

}  // namespace zablab::recipes
