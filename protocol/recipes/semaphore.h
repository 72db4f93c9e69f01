// A semaphore of some leases: whoever has fewer nodes than there are leases before its own holds a lease.
// When any of these goes the next may have its turn, so that everybody watches the list of children.
#pragma once

#include "protocol/recipes/contender.h"

namespace zablab::recipes {

/// What `mine`, its place in the line, waits for.
inline std::optional<std::size_t> leaseBefore(const RecipeRules& rules, const Contender& contender,
                                              const std::vector<std::string>&, std::size_t mine) {
  const std::int64_t leases = contender.limit + (rules.leases == Leases::one_more ? 1 : 0);
  return static_cast<std::int64_t>(mine) < leases ? std::nullopt : std::optional(mine);
}

struct Semaphore : Contender {
  static constexpr std::string_view name = "semaphore";
  static constexpr Line line{.recipe = Recipe::semaphore, .watches_children = true, .before = leaseBefore};
};
BOOST_DESCRIBE_STRUCT(Semaphore, (Contender), ())

inline void configure(Semaphore& semaphore, const Settings& settings) { semaphore.limit = settings.limit; }

}  // namespace zablab::recipes
