// Names: each is a sequential node, which no other client is given.
#pragma once

#include <array>

#include "protocol/recipes/worker.h"

namespace zablab::recipes {

struct Naming : Worker {
  static constexpr std::string_view name = "naming";
  static constexpr std::array acts{Act::name};
  std::int32_t wanted = 0;   ///< how many names it has to ask for
  std::int32_t number = -1;  ///< under the rule `counted`: of the name that it tries
  bool operator==(const Naming&) const = default;
};
BOOST_DESCRIBE_STRUCT(Naming, (Worker), (wanted, number))

void step(const Hands& hands, Naming& naming, const Input& input);

}  // namespace zablab::recipes
