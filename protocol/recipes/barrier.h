// A barrier: while its node is there, whoever comes waits. Who deletes the node lets all of them pass.
#pragma once

#include <array>

#include "protocol/recipes/worker.h"

namespace zablab::recipes {

struct Barrier : Worker {
  static constexpr std::string_view name = "barrier";
  static constexpr std::array acts{Act::enter};
  bool waits = false;    ///< it was instructed to enter
  bool watches = false;  ///< the node, which is there
  bool operator==(const Barrier&) const = default;
};
BOOST_DESCRIBE_STRUCT(Barrier, (Worker), (waits, watches))

void step(const Hands& hands, Barrier& barrier, const Input& input);

}  // namespace zablab::recipes
