#include "viz/phrases.h"

#include <nlohmann/json.hpp>

#include "viz/phrases_zh.h"

namespace zablab::viz {
namespace {

/// UTF-8 of U+4000 to U+9FFF begins with these bytes.
bool beginsHan(char byte) { return byte >= '\xE4' && byte <= '\xE9'; }
bool startsWithHan(std::string_view text) { return !text.empty() && beginsHan(text.front()); }
bool endsWithHan(std::string_view text) { return text.size() >= 3 && beginsHan(text[text.size() - 3]); }
bool isLetter(char byte) {
  return (byte >= '0' && byte <= '9') || (byte >= 'A' && byte <= 'Z') || (byte >= 'a' && byte <= 'z');
}

void join(std::string& text, std::string_view next) {
  if (text.empty() || next.empty()) {
    text += next;
    return;
  }
  if (endsWithHan(text)) {
    if (next.front() == ' ' && startsWithHan(next.substr(1))) next.remove_prefix(1);
    if (isLetter(next.front())) text += ' ';
  } else if (startsWithHan(next)) {
    if (text.back() == ' ' && endsWithHan(std::string_view(text).substr(0, text.size() - 1))) text.pop_back();
    if (isLetter(text.back())) text += ' ';
  }
  text += next;
}

/// `inPlace(name)` is what is in a place.
template <class InPlace>
std::string filled(std::string_view pattern, const InPlace& inPlace) {
  std::string text;
  for (;;) {
    const PatternStart start = startOf(pattern);
    join(text, start.literal);
    if (start.place.empty()) return text;
    join(text, inPlace(start.place));
    pattern = start.rest;
  }
}

}  // namespace

PhraseBook::PhraseBook(const Json& pairs, Language language) : language_(language) {
  for (const auto& [english, other] : pairs.items()) pairs_.emplace(english, other.get<std::string>());
}

std::string_view PhraseBook::translated(std::string_view english) const {
  const auto found = pairs_.find(english);
  return found == pairs_.end() ? english : std::string_view(found->second);
}

std::string PhraseBook::word(std::string_view english) const { return std::string(translated(english)); }

std::string PhraseBook::said(const Json& said, std::string_view text) const {
  if (said.is_null() || !has(said.front().get_ref<const std::string&>())) return std::string(text);
  return part(said);
}

std::string PhraseBook::part(const Json& said) const {
  if (said.is_string()) return said.get<std::string>();
  const std::string& english = said.front().get_ref<const std::string&>();
  PatternStart start = startOf(english);
  if (start.place.empty() && said.size() > 1) {  // a list
    std::string all = part(said[1]);
    for (std::size_t i = 2; i < said.size(); ++i) {
      join(all, translated(english));
      join(all, part(said[i]));
    }
    return all;
  }
  Fields fields;
  for (std::size_t i = 1; i < said.size() && !start.place.empty(); ++i, start = startOf(start.rest))
    fields.emplace_back(start.place, part(said[i]));
  return form(english, fields);
}

std::string PhraseBook::said(const Phrase& phrase) const { return said(phrase.said(), phrase.english()); }

std::string PhraseBook::form(std::string_view english, const Fields& fields) const {
  std::vector<bool> used(fields.size());  // each once, so that a text is as long as its parts
  return filled(translated(english), [&](std::string_view name) -> std::string_view {
    for (std::size_t i = 0; i < fields.size(); ++i) {
      if (fields[i].first != name || used[i]) continue;
      used[i] = true;
      return fields[i].second;
    }
    return {};
  });
}

const PhraseBook& englishPhrases() {
  static const PhraseBook english;
  return english;
}

const PhraseBook& phrasesOf(Language language) {
  if (language == Language::en) return englishPhrases();
  static const PhraseBook chinese(Json::parse(phrases_zh));
  return chinese;
}

}  // namespace zablab::viz
