// A phrase book: the sentences of a run in another language.
//
// viz/phrases.zh.json has named lists of pairs, an English pattern and its translation. `{server}` is a
// place: it stands for any text that is not empty. If there is a list of the place's name (`{reason2}`
// belongs to the list `reason`), the text in the place is itself translated by that list, otherwise it stays
// as it is. Both sides of a pair have the same places. The list `sentences` is of whole sentences; the list
// `forms`, of what zablab itself fills in, which is looked up by its English pattern.
//
// The first pattern of a list that matches is taken. Each of its literals is looked for once, from the left:
// a place is as short as possible, or as long as possible if it is written `{+name}`. So a text is never
// searched in more than one way; texts of more than `translated_max` bytes and nesting beyond `nested_max`
// stay as they are. viz/explorer/phrases.js does the same.
//
// Where a literal and a place meet, there is no blank between two Chinese characters, and one between a
// Chinese character and a letter or digit, whatever the pattern has.
//
// Thread safety: const.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sim/json.h"

namespace zablab::viz {

enum class Language { en, zh };

class PhraseBook {
 public:
  static constexpr std::size_t translated_max = 20'000;
  static constexpr int nested_max = 64;

  struct Said {
    std::string text;
    bool whole = true;  ///< false: no pattern matches it, or a part of it
  };
  using Fields = std::vector<std::pair<std::string_view, std::string>>;

  /// English: everything stays as it is.
  PhraseBook() = default;
  explicit PhraseBook(const Json& lists);

  Said sentence(std::string_view text) const { return said("sentences", text, 0); }
  /// What is in places of this name.
  Said part(std::string_view place, std::string_view text) const { return said(place, text, 0); }
  /// The English pattern with these texts in its places.
  std::string form(std::string_view english, const Fields& fields = {}) const;

 private:
  /// A literal, or a place of the list `list`.
  struct Piece {
    std::string literal, place, list;
    bool longest = false;
  };
  struct Phrase {
    std::vector<Piece> english, other;
  };
  struct List {
    std::vector<Phrase> phrases;
    /// Patterns by a word that every text they match contains.
    std::map<std::string, std::vector<std::size_t>, std::less<>> by_word;
    std::vector<std::size_t> without_word;
    std::map<std::string, std::size_t, std::less<>> by_pattern;
  };
  using Places = std::map<std::string_view, std::string_view>;

  static std::vector<Piece> piecesOf(std::string_view pattern);
  static std::string wordOfAll(const std::vector<Piece>& pieces);
  static std::optional<Places> match(const std::vector<Piece>& pieces, std::string_view text);
  Said said(std::string_view list, std::string_view text, int depth) const;
  Said filled(const std::vector<Piece>& pieces, const Places& places, int depth) const;

  std::map<std::string, List, std::less<>> lists_;
};

const PhraseBook& phrasesOf(Language language);

}  // namespace zablab::viz
