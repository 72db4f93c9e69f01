// A semaphore of some leases: whoever has fewer nodes than there are leases before its own holds a lease.
// When any of these goes the next may have its turn, so that everybody watches the list of children.
#pragma once

#include "protocol/recipes/contender.h"

namespace zablab::recipes {

std::optional<std::size_t> leaseBefore(const RecipeRules& rules, const Contender& contender,
                                       const std::vector<std::string>& order, std::size_t mine);

struct Semaphore : Contender {
  static constexpr std::string_view name = "semaphore";
  static constexpr Line line{.recipe = Recipe::semaphore, .watches_children = true, .before = leaseBefore};
};
BOOST_DESCRIBE_STRUCT(Semaphore, (Contender), ())

}  // namespace zablab::recipes
