// What is said to people: a pattern in English, which is the key of its translations, and what is in its
// places. Nothing reads a text to find out what it says.
//
//     phrase("{server} follows {leader} in leader epoch {epoch}", names(self), names(e.leader), e.epoch)
//
// A place is filled by what stands at its position; its name is for translations, in which the places may be
// in another order. viz/zh/ has the Chinese of each pattern, viz/phrases.h renders it.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "protocol/vocabulary.h"
#include "sim/binding.h"
#include "sim/json.h"

namespace zablab {

struct TraceEvent;
struct TraceVerdict;

class Phrase {
 public:
  Phrase() = default;  ///< nothing is said
  /// The same in every language: a name, a number, a value. Words are a pattern: phrase("no answer").
  Phrase(std::string text) : text_(std::move(text)) {}
  Phrase(std::string_view text) : text_(text) {}
  Phrase(const char*) = delete;
  template <std::integral Number>
  Phrase(Number number) : text_(std::to_string(number)) {}

  /// Words that come from elsewhere, as the name of an enumerator.
  static Phrase words(std::string_view text) {
    return text.find('{') == std::string_view::npos ? ofPattern(text, {}) : Phrase(text);
  }
  /// This pattern and its parts; phrase() checks that they fit.
  static Phrase ofPattern(std::string_view pattern, std::vector<Phrase> parts);
  /// What an event or a verdict of a trace says.
  static Phrase of(const TraceEvent& event);
  static Phrase of(const TraceVerdict& verdict);
  /// One after the other, with this pattern between them; an empty list is empty.
  static Phrase list(std::vector<Phrase> parts, std::string_view separator = ", ");
  /// A node, for whoever does not know the names: "server 3", "client 101", or only "3".
  static Phrase server(ServerId id) { return ofNode(Is::server, id); }
  static Phrase client(ServerId id) { return ofNode(Is::client, id); }
  static Phrase node(ServerId id) { return ofNode(Is::node, id); }

  bool empty() const { return text_.empty() && parts_.empty(); }
  std::string english() const;
  static constexpr const char* server_pattern = "server {id}";
  /// With the names of its nodes. A client's follows the word "client", unless it begins with it; a server
  /// without a name stays "server 3".
  Phrase named(const Names& names) const;
  /// As traces have it: a text as a string; else an array of the pattern and its parts, each of which is
  /// again one or the other. Null if it is the same in every language. The names are in it.
  Json said() const;

  bool operator==(const Phrase&) const = default;

 private:
  enum class Is : std::uint8_t { text, pattern, list, server, client, node };

  static Phrase ofNode(Is is, ServerId id);
  Json part() const;

  std::string text_;  ///< or the pattern, the separator, the number
  std::vector<Phrase> parts_;
  Is is_ = Is::text;
};

/// A pattern with so many places: what it says of others is an error when it is compiled.
template <std::size_t Places>
struct Pattern {
  std::string_view text;
  template <std::size_t Size>
  consteval Pattern(const char (&pattern)[Size]) : text(pattern, Size - 1) {
    std::size_t places = 0;
    for (const char byte : text) places += byte == '{' ? 1 : 0;
    if (places != Places || text.find("{}") != std::string_view::npos)
      throw "a pattern has one place with a name in braces for each part";
  }
};

template <class... Parts>
Phrase phrase(std::type_identity_t<Pattern<sizeof...(Parts)>> pattern, const Parts&... parts) {
  std::vector<Phrase> list;
  list.reserve(sizeof...(Parts));
  (list.emplace_back(parts), ...);
  return Phrase::ofPattern(pattern.text, std::move(list));
}

/// `of(item)` of each, with commas between them; `none` if there is no item.
template <class Items, class Of>
Phrase listOf(const Items& items, Of&& of, const Phrase& none = {}, std::string_view separator = ", ") {
  std::vector<Phrase> parts;
  for (const auto& item : items) parts.push_back(of(item));
  return parts.empty() ? none : Phrase::list(std::move(parts), separator);
}

/// The name of a node, or that there is none.
inline Phrase nameOf(const Names& names, ServerId id) {
  return id == no_server ? phrase("nobody") : Phrase(names(id));
}

/// `object[key]` says it in English, and `object[key_said]` in parts, if it is not the same in every
/// language.
void setPhrase(Json& object, const std::string& key, const Phrase& phrase);

/// Whether JSON is what `Phrase::said` writes of a phrase that is not the same in every language.
bool isSaid(const Json& said);

/// What is before the first place of a pattern, and the place's name; then the rest. No place is left if the
/// name is empty.
struct PatternStart {
  std::string_view literal, place, rest;
};
PatternStart startOf(std::string_view pattern);

}  // namespace zablab
