#include "sim/rule_words.h"

namespace zablab {

NamesAndTexts textsOf(std::span<const RuleValue> values) {
  NamesAndTexts texts;
  for (const RuleValue& row : values) {
    texts.emplace_back(std::string(row.rule) + "=" + std::string(row.value),
                       std::string(row.text) + " (" + std::string(row.source) + ")");
  }
  return texts;
}

NamesAndTexts textsOf(std::span<const Mutation> mutations) {
  NamesAndTexts texts;
  for (const Mutation& row : mutations) {
    std::string text(row.text);
    std::string origin(row.issue);
    if (!row.releases.empty()) origin += (origin.empty() ? "" : ", ") + std::string(row.releases);
    if (!origin.empty()) text += " (" + origin + ")";
    texts.emplace_back(row.name, text + "; found by: " + std::string(row.found_by));
  }
  return texts;
}

InputError errorAt(const JsonValue& document, std::string_view key, std::string message, std::string hint) {
  return document.find(key) != nullptr ? document.keyError(key, std::move(message), std::move(hint))
                                       : InputError("", std::nullopt, std::move(message), std::move(hint));
}

std::string meant(std::string_view word, const std::vector<std::string>& known) {
  const std::string near = nearest(word, known);
  if (!near.empty()) return "did you mean \"" + near + "\"?";
  std::string all;
  for (const std::string& one : known) all += (all.empty() ? "" : ", ") + one;
  return "known names: " + all;
}

}  // namespace zablab
