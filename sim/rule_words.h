// A family's rules by name: as scenarios write them, and in lists.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "protocol/rule_tables.h"
#include "sim/scenario.h"

namespace zablab {

/// Names and their meanings. A rule's name is "name=value".
using NamesAndTexts = std::vector<std::pair<std::string, std::string>>;
NamesAndTexts textsOf(std::span<const RuleValue> values);
NamesAndTexts textsOf(std::span<const Mutation> mutations);
template <DescribedStruct Rules>
NamesAndTexts textsOf(std::span<const Variant<Rules>> variants) {
  NamesAndTexts texts;
  for (const auto& row : variants) texts.emplace_back(row.name, row.text);
  return texts;
}

/// An error about `key` of the document, or about the command line if the document does not contain the key.
InputError errorAt(const JsonValue& document, std::string_view key, std::string message,
                   std::string hint = "");

/// The hint for an unknown word: the nearest of the known words, or all of them.
std::string meant(std::string_view word, const std::vector<std::string>& known);

/// The rules of a scenario's variant, or `default_variant`'s, with single rules and mutations applied. Throws
/// InputError if a name is unknown.
template <DescribedStruct Rules>
Rules rulesOf(const Scenario& scenario, const JsonValue& document, std::string_view default_variant,
              const RuleTables<Rules>& tables) {
  const auto names = [](const auto& rows) {
    std::vector<std::string> list;
    for (const auto& row : rows) list.emplace_back(row.name);
    return list;
  };
  const auto* variant = tables.variant(scenario.variant.empty() ? default_variant : scenario.variant);
  if (variant == nullptr) {
    throw errorAt(document, "variant", "there is no variant " + inBackticks(scenario.variant),
                  meant(scenario.variant, names(tables.variants)));
  }
  Rules rules = variant->rules;
  for (const auto& [rule, value] : scenario.rules) {
    const auto problem = setRule(rules, rule, value);
    if (!problem) continue;
    std::vector<std::string> all_rules;
    std::vector<std::string> values;
    for (const RuleValue& row : tables.values) {
      if (all_rules.empty() || all_rules.back() != row.rule) all_rules.emplace_back(row.rule);
      if (row.rule == rule) values.emplace_back(row.value);
    }
    throw errorAt(document, "rules", *problem,
                  values.empty() ? meant(rule, all_rules) : meant(value, values));
  }
  for (const std::string& name : scenario.mutations) {
    const Mutation* mutation = tables.mutation(name);
    if (mutation == nullptr) {
      throw errorAt(document, "mutations", "there is no mutation " + inBackticks(name),
                    meant(name, names(tables.mutations)));
    }
    mutate(rules, *mutation);
  }
  return rules;
}

}  // namespace zablab
