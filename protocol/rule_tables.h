// A family's tables of its rules: their values, the variants, the planted bugs; and the queries on each of
// them. A family lists its rows in protocol/<family>/rules.cc and mutations.cc.
#pragma once

#include <algorithm>
#include <array>
#include <cassert>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "protocol/reflect.h"

namespace zablab {

/// One value of one rule: its effect, and its source.
struct RuleValue {
  std::string_view rule;
  std::string_view value;
  std::string_view text;
  std::string_view source;
};

/// A named set of rules.
template <DescribedStruct Rules>
struct Variant {
  std::string_view name;
  Rules rules;
  std::string_view text;
};

/// A planted bug: a rule's value under a separate name. The nodes do not know about planted bugs.
struct Mutation {
  std::string_view name;
  std::string_view issue;     ///< its number in the original's tracker; empty if it has none
  std::string_view releases;  ///< releases of the original that have it, or the first release without it
  std::string_view kind;      ///< "safety" or "liveness"
  std::string_view found_by;  ///< the invariant that it breaks, or how else it becomes visible
  std::string_view text;
  std::string_view rule;
  std::string_view value;
};

/// The rules of one family.
template <DescribedStruct Rules>
struct RuleTables {
  std::span<const Variant<Rules>> variants;
  std::span<const RuleValue> values;
  std::span<const Mutation> mutations;
};

/// The rows of two tables.
template <class Row, std::size_t N, std::size_t M>
constexpr std::array<Row, N + M> joined(const std::array<Row, N>& first, const std::array<Row, M>& second) {
  std::array<Row, N + M> rows{};
  std::copy(first.begin(), first.end(), rows.begin());
  std::copy(second.begin(), second.end(), rows.begin() + N);
  return rows;
}

/// The row of this name; null if there is none.
template <class Row>
const Row* findRow(std::span<const Row> rows, std::string_view name) {
  const auto at = std::find_if(rows.begin(), rows.end(), [name](const Row& row) { return row.name == name; });
  return at == rows.end() ? nullptr : &*at;
}

/// Sets one rule by its names. Returns what is wrong, or nothing.
template <DescribedStruct Rules>
std::optional<std::string> setRule(Rules& rules, std::string_view rule, std::string_view value) {
  bool known_rule = false;
  bool known_value = false;
  forEachField(rules, [&](std::string_view name, auto& field) {
    if (name != rule) return;
    known_rule = true;
    if (const auto found = enumFromName<std::remove_reference_t<decltype(field)>>(value)) {
      field = *found;
      known_value = true;
    }
  });
  if (!known_rule) return "there is no rule \"" + std::string(rule) + "\"";
  if (!known_value)
    return "the rule \"" + std::string(rule) + "\" has no value \"" + std::string(value) + "\"";
  return std::nullopt;
}

/// The rules whose value is not their first, as "rule=value", in order.
template <DescribedStruct Rules>
std::vector<std::string> changedRules(const Rules& rules) {
  std::vector<std::string> changed;
  forEachField(rules, [&](std::string_view name, const auto& field) {
    if (field != std::remove_cvref_t<decltype(field)>{})
      changed.push_back(std::string(name) + "=" + std::string(enumName(field)));
  });
  return changed;
}

/// Switches the mutation on in `rules`.
template <DescribedStruct Rules>
void mutate(Rules& rules, const Mutation& mutation) {
  [[maybe_unused]] const auto problem = setRule(rules, mutation.rule, mutation.value);
  assert(!problem);
}

}  // namespace zablab
