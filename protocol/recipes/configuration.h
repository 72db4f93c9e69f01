// A configuration that applications watch: one node, or several that belong together. Whoever changes several
// changes them in one multi, and who reads them reads them in one.
#pragma once

#include <array>
#include <vector>

#include "protocol/recipes/worker.h"

namespace zablab::recipes {

struct Configuration : Worker {
  static constexpr std::string_view name = "configuration";
  static constexpr std::array acts{Act::push};
  std::int32_t parts = 1;           ///< how many nodes it has
  std::vector<std::string> pushes;  ///< what it has to write
  std::int32_t pushed = 0;          ///< of the first of these, parts that are written already
  bool stale = true;                ///< it has to read
  std::int32_t armed = 0;           ///< parts that it watches since the last change
  std::int32_t rewatched = 0;       ///< under the rule `after_the_read`: parts that it watches again
  std::vector<std::string> values;  ///< those that it works with
  std::vector<std::int32_t> versions;
  std::vector<std::string> read_values;  ///< what it reads
  std::vector<std::int32_t> read_versions;
  std::vector<std::int32_t> changed_parts;  ///< under the rule `one_by_one`: those that it reads again
  bool runs = false;                        ///< what a value `papp.status=running` tells it to run
  bool operator==(const Configuration&) const = default;
};
BOOST_DESCRIBE_STRUCT(Configuration, (Worker),
                      (parts, pushes, pushed, stale, armed, rewatched, values, versions, read_values,
                       read_versions, changed_parts, runs))

inline void configure(Configuration& configuration, const Settings& settings) {
  configuration.parts = settings.limit;
}

void step(const Hands& hands, Configuration& configuration, const Input& input);

}  // namespace zablab::recipes
