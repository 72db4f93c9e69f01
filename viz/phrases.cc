#include "viz/phrases.h"

#include <algorithm>
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

}  // namespace

PhraseBook::PhraseBook(const Json& lists) {
  for (const auto& [name, pairs] : lists.items()) {
    List& list = lists_[name];
    for (const Json& pair : pairs) {
      const std::string& english = pair.at(0).get_ref<const std::string&>();
      const std::size_t number = list.phrases.size();
      list.phrases.push_back({piecesOf(english), piecesOf(pair.at(1).get_ref<const std::string&>())});
      list.by_pattern.emplace(english, number);
      const std::string word = wordOfAll(list.phrases.back().english);
      (word.empty() ? list.without_word : list.by_word[word]).push_back(number);
    }
  }
}

std::vector<PhraseBook::Piece> PhraseBook::piecesOf(std::string_view pattern) {
  std::vector<Piece> pieces;
  while (!pattern.empty()) {
    const std::size_t open = pattern.find('{');
    const std::size_t close = open == std::string_view::npos ? open : pattern.find('}', open);
    if (open != 0) pieces.push_back({.literal = std::string(pattern.substr(0, open))});
    if (close == std::string_view::npos) break;
    std::string_view place = pattern.substr(open + 1, close - open - 1);
    const bool longest = place.starts_with('+');
    if (longest) place.remove_prefix(1);
    const std::string_view list = place.substr(0, place.find_last_not_of("0123456789") + 1);
    pieces.push_back({.place = std::string(place), .list = std::string(list), .longest = longest});
    pattern.remove_prefix(close + 1);
  }
  return pieces;
}

/// The longest word between blanks, or ends of the pattern, that is in no place; empty if there is none.
std::string PhraseBook::wordOfAll(const std::vector<Piece>& pieces) {
  std::string longest;
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    const std::string& text = pieces[i].literal;
    for (std::size_t from = 0; from < text.size();) {
      const std::size_t end = std::min(text.find(' ', from), text.size());
      const bool begins = from > 0 || i == 0;
      const bool ends = end < text.size() || i + 1 == pieces.size();
      if (begins && ends && end - from > longest.size()) longest = text.substr(from, end - from);
      from = end + 1;
    }
  }
  return longest;
}

std::optional<PhraseBook::Places> PhraseBook::match(const std::vector<Piece>& pieces, std::string_view text) {
  Places places;
  std::size_t from = 0;
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    if (pieces[i].place.empty()) {  // at the beginning of the pattern; all others follow a place
      if (!text.starts_with(pieces[i].literal)) return std::nullopt;
      from = pieces[i].literal.size();
      continue;
    }
    const Piece& place = pieces[i];
    std::size_t end = text.size();
    std::size_t next = text.size();
    if (i + 1 < pieces.size()) {
      const std::string& literal = pieces[++i].literal;
      if (i + 1 == pieces.size()) {
        end = text.ends_with(literal) ? text.size() - literal.size() : std::string_view::npos;
      } else {
        end = place.longest ? text.rfind(literal) : text.find(literal, from + 1);
      }
      next = end + literal.size();
    }
    if (end == std::string_view::npos || end <= from) return std::nullopt;
    places[place.place] = text.substr(from, end - from);
    from = next;
  }
  if (from != text.size()) return std::nullopt;
  return places;
}

PhraseBook::Said PhraseBook::said(std::string_view name, std::string_view text, int depth) const {
  const auto list = lists_.find(name);
  if (list == lists_.end()) return {std::string(text)};
  if (text.size() > translated_max || depth > nested_max) return {std::string(text), false};
  std::vector<std::size_t> candidates = list->second.without_word;
  for (std::size_t from = 0; from <= text.size();) {
    const std::size_t end = std::min(text.find(' ', from), text.size());
    const auto found = list->second.by_word.find(text.substr(from, end - from));
    if (found != list->second.by_word.end())
      candidates.insert(candidates.end(), found->second.begin(), found->second.end());
    from = end + 1;
  }
  std::sort(candidates.begin(), candidates.end());
  candidates.erase(std::unique(candidates.begin(), candidates.end()), candidates.end());
  for (const std::size_t candidate : candidates) {
    const Phrase& phrase = list->second.phrases[candidate];
    const std::optional<Places> places = match(phrase.english, text);
    if (places) return filled(phrase.other, *places, depth);
  }
  return {std::string(text), false};
}

PhraseBook::Said PhraseBook::filled(const std::vector<Piece>& pieces, const Places& places, int depth) const {
  Said result;
  for (const Piece& piece : pieces) {
    join(result.text, piece.literal);
    const auto place = piece.place.empty() ? places.end() : places.find(piece.place);
    if (place == places.end()) continue;
    const Said part = said(piece.list, place->second, depth + 1);
    join(result.text, part.text);
    result.whole = result.whole && part.whole;
  }
  return result;
}

std::string PhraseBook::form(std::string_view english, const Fields& fields) const {
  Places places;
  for (const auto& [name, text] : fields) places.emplace(name, text);
  const auto list = lists_.find("forms");
  if (list != lists_.end()) {
    const auto found = list->second.by_pattern.find(english);
    if (found != list->second.by_pattern.end())
      return filled(list->second.phrases[found->second].other, places, 0).text;
  }
  return filled(piecesOf(english), places, 0).text;
}

const PhraseBook& phrasesOf(Language language) {
  static const PhraseBook english;
  if (language == Language::en) return english;
  static const PhraseBook chinese(Json::parse(phrases_zh));
  return chinese;
}

}  // namespace zablab::viz
