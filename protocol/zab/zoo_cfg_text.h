// The text of a configuration file in the format of Java's properties (java.util.Properties.load): comments,
// escapes and continued lines resolved, and each character with its place in the file, so that a message can
// point at it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace zablab::zab::zoo_cfg_detail {

/// Line and column (bytes), from 1.
struct Place {
  std::int64_t line = 1;
  std::int64_t column = 1;
};

/// Characters after unescaping, each with its place in the file.
struct Text {
  std::string chars;
  std::vector<Place> places;
  Place end;

  void add(char c, Place at) {
    chars.push_back(c);
    places.push_back(at);
  }
  Place at(std::size_t offset) const { return offset < places.size() ? places[offset] : end; }
};

/// A part of a Text.
struct Piece {
  std::string_view chars;
  std::size_t offset = 0;

  Piece from(std::size_t start) const { return {chars.substr(start), offset + start}; }
};

inline Piece wholeOf(const Text& text) { return {text.chars, 0}; }

/// Without blanks at both ends, as Java's String.trim.
Piece trimmed(Piece piece);

/// As Java's String.split: empty parts at the end are dropped.
std::vector<Piece> split(Piece piece, char separator);

char lowerCase(char c);
std::string lowerCase(std::string_view text);

/// The text as a message shows it: quoted, shortened, without bytes that a terminal would act on.
std::string quoted(std::string_view text);

struct Entry {
  Text key;
  Text value;
};

class Properties {
 public:
  explicit Properties(std::string_view text) : text_(text) {}

  /// The next logical line that is neither empty nor a comment, its continuations joined; false at the end.
  bool nextLine(Text& line);

 private:
  bool atLineEnd() const { return at_ == text_.size() || text_[at_] == '\n' || text_[at_] == '\r'; }
  void step();
  void skipBlanks();
  void skipLineEnd();
  bool takeNaturalLine(Text& line);

  std::string_view text_;
  std::size_t at_ = 0;
  Place place_;
};

/// A logical line's key and value; empty if a \u in it is not followed by four hexadecimal digits.
std::optional<Entry> entryOf(const Text& line);

}  // namespace zablab::zab::zoo_cfg_detail
