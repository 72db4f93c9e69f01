#include "protocol/recipes/shared_lock.h"

namespace zablab::recipes {

bool isWriter(std::string_view name) { return name.find(write_prefix) != std::string_view::npos; }

std::optional<std::size_t> writerBefore(const RecipeRules& rules, const Contender& contender,
                                        const std::vector<std::string>& order, std::size_t mine) {
  if (!contender.shared) return nextBefore(rules, contender, order, mine);
  if (rules.reader == Reader::behind_first && !isWriter(order.front())) return std::nullopt;
  std::optional<std::size_t> waits_for;
  for (std::size_t before = mine; before > 0; --before) {
    if (!isWriter(order[before - 1])) continue;
    waits_for = before - 1;
    if (rules.reader != Reader::watches_first_writer) break;
  }
  return waits_for;
}

}  // namespace zablab::recipes
