// A family's tables of its rules: their values, the variants, the planted bugs; and the queries on each of
// them. A family lists its rows in protocol/<family>/rules.cc.
#pragma once

#include <algorithm>
#include <array>
#include <cassert>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
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

/// The row of this name; null if there is none.
template <class Row>
const Row* findRow(std::span<const Row> rows, std::string_view name) {
  const auto at = std::find_if(rows.begin(), rows.end(), [name](const Row& row) { return row.name == name; });
  return at == rows.end() ? nullptr : &*at;
}

/// The rules of one family.
template <DescribedStruct Rules>
struct RuleTables {
  std::span<const Variant<Rules>> variants;
  std::span<const RuleValue> values;
  std::span<const Mutation> mutations;

  /// By its name; null if there is none.
  const Variant<Rules>* variant(std::string_view name) const { return findRow(variants, name); }
  const Mutation* mutation(std::string_view name) const { return findRow(mutations, name); }
};

/// The rows of two tables.
template <class Row, std::size_t N, std::size_t M>
constexpr std::array<Row, N + M> joined(const std::array<Row, N>& first, const std::array<Row, M>& second) {
  std::array<Row, N + M> rows{};
  std::copy(first.begin(), first.end(), rows.begin());
  std::copy(second.begin(), second.end(), rows.begin() + N);
  return rows;
}

/// A rule: a field of a struct of rules.
struct RuleField {
  std::string_view name;
  std::span<const std::pair<std::string_view, std::uint8_t>> values;  ///< by their names
  std::uint8_t* (*in)(void* rules);
};
template <DescribedEnum E>
inline constexpr auto rule_field_values = [] {
  static_assert(sizeof(E) == 1, "a rule is an enumeration of one byte");
  std::array<std::pair<std::string_view, std::uint8_t>, enumerators_of<E>.size()> list{};
  for (std::size_t i = 0; i < list.size(); ++i)
    list[i] = {enumerators_of<E>[i].first, static_cast<std::uint8_t>(enumerators_of<E>[i].second)};
  return list;
}();
template <DescribedStruct Rules>
inline constexpr auto rule_fields = [] {
  std::array<RuleField, boost::mp11::mp_size<FieldsOf<Rules>>::value> fields{};
  std::size_t next = 0;
  boost::mp11::mp_for_each<FieldsOf<Rules>>([&]<class Member>(Member) {
    using E = std::remove_cvref_t<decltype(std::declval<Rules&>().*Member::pointer)>;
    fields[next++] = {
        Member::name, rule_field_values<E>, [](void* rules) {
          return reinterpret_cast<std::uint8_t*>(&(static_cast<Rules*>(rules)->*Member::pointer));
        }};
  });
  return fields;
}();
std::optional<std::string> setRule(void* rules, std::span<const RuleField> fields, std::string_view rule,
                                   std::string_view value);
std::vector<std::string> changedRules(const void* rules, std::span<const RuleField> fields);

/// Sets one rule by its names. Returns what is wrong, or nothing.
template <DescribedStruct Rules>
std::optional<std::string> setRule(Rules& rules, std::string_view rule, std::string_view value) {
  return setRule(&rules, rule_fields<Rules>, rule, value);
}
/// The rules whose value is not their first, as "rule=value", in order.
template <DescribedStruct Rules>
std::vector<std::string> changedRules(const Rules& rules) {
  return changedRules(&rules, rule_fields<Rules>);
}

/// Switches the mutation on in `rules`.
template <DescribedStruct Rules>
void mutate(Rules& rules, const Mutation& mutation) {
  [[maybe_unused]] const auto problem = setRule(rules, mutation.rule, mutation.value);
  assert(!problem);
}

}  // namespace zablab
