// A phrase book: what a run says in another language.
//
// viz/zh/*.json have pairs of an English pattern and its translation, or of a word and its translation.
// `{server}` is a place; both sides of a pair have the same ones, in any order. A pattern is looked up as it
// is: sim/phrase.h makes what is said of patterns, and traces keep them (docs/traces.md, `said`). What the
// book does not have stays English.
//
// Where a literal and a place meet, there is no blank between two Chinese characters, and one between a
// Chinese character and a letter or digit, whatever the pattern has. viz/explorer/phrases.js does the same.
//
// Thread safety: const.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sim/json.h"
#include "sim/phrase.h"

namespace zablab::viz {

enum class Language { en, zh };

class PhraseBook {
 public:
  using Fields = std::vector<std::pair<std::string_view, std::string>>;

  /// English: everything stays as it is.
  PhraseBook() = default;
  /// `pairs` is an object of texts.
  explicit PhraseBook(const Json& pairs, Language language = Language::zh);

  Language language() const { return language_; }
  bool has(std::string_view english) const { return pairs_.find(english) != pairs_.end(); }
  /// A word, an identifier or a sentence without places.
  std::string word(std::string_view english) const;
  /// What a trace has as `said`; `text` if it is null, or if the book does not have its pattern.
  std::string said(const Json& said, std::string_view text) const;
  std::string said(const Phrase& phrase) const;
  /// The pattern with these texts in its places.
  std::string form(std::string_view english, const Fields& fields = {}) const;

 private:
  std::string_view translated(std::string_view english) const;
  std::string part(const Json& said) const;

  std::map<std::string, std::string, std::less<>> pairs_;
  Language language_ = Language::en;
};

/// Without translations. (Who uses no other language does not get the Chinese book into the program.)
const PhraseBook& englishPhrases();
const PhraseBook& phrasesOf(Language language);

}  // namespace zablab::viz
