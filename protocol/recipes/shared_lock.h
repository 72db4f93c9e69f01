// A lock of readers and writers in one line: a writer waits for everybody before it, a reader for the writers
// before it. Each watches the last of those that it waits for.
#pragma once

#include "protocol/recipes/contender.h"

namespace zablab::recipes {

/// What the names of its nodes begin with.
inline constexpr std::string_view read_prefix = "read-";
inline constexpr std::string_view write_prefix = "write-";

/// Whether it is the node of a writer.
bool isWriter(std::string_view name);
/// What a reader or a writer waits for.
std::optional<std::size_t> writerBefore(const RecipeRules& rules, const Contender& contender,
                                        const std::vector<std::string>& order, std::size_t mine);

struct SharedLock : Contender {
  static constexpr std::string_view name = "shared_lock";
  static constexpr Line line{.recipe = Recipe::shared_lock, .before = writerBefore};
};
BOOST_DESCRIBE_STRUCT(SharedLock, (Contender), ())

inline void configure(SharedLock& lock, const Settings& settings) {
  lock.prefix = settings.shared ? read_prefix : write_prefix;
}

}  // namespace zablab::recipes
