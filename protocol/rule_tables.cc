#include "protocol/rule_tables.h"

namespace zablab {

std::optional<std::string> setRule(void* rules, std::span<const RuleField> fields, std::string_view rule,
                                   std::string_view value) {
  const RuleField* field = findRow(fields, rule);
  if (field == nullptr) return "there is no rule \"" + std::string(rule) + "\"";
  for (const auto& [name, number] : field->values) {
    if (name != value) continue;
    *field->in(rules) = number;
    return std::nullopt;
  }
  return "the rule \"" + std::string(rule) + "\" has no value \"" + std::string(value) + "\"";
}

std::vector<std::string> changedRules(const void* rules, std::span<const RuleField> fields) {
  std::vector<std::string> changed;
  for (const RuleField& field : fields) {
    const std::uint8_t now = *field.in(const_cast<void*>(rules));
    if (now == 0) continue;
    const auto at = std::find_if(field.values.begin(), field.values.end(),
                                 [now](const auto& value) { return value.second == now; });
    const std::string_view word = at == field.values.end() ? "?" : at->first;
    changed.push_back(std::string(field.name) + "=" + std::string(word));
  }
  return changed;
}

}  // namespace zablab
