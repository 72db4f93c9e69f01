// What the holder of a lock uses. It may be used by somebody who has lost the lock and does not know it yet:
// the number that comes with each use tells who is late.
#pragma once

#include <boost/describe.hpp>
#include <optional>

#include "protocol/recipes/rules.h"
#include "protocol/vocabulary.h"

namespace zablab::recipes {

struct Resource {
  std::int64_t token = -1;  ///< the highest with which it was used
  bool operator==(const Resource&) const = default;

  /// Whether it serves who comes with this number.
  bool use(const RecipeRules& rules, std::int64_t with);
};
BOOST_DESCRIBE_STRUCT(Resource, (), (token))

}  // namespace zablab::recipes
