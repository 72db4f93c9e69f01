#include "protocol/zab/zoo_cfg_text.h"

#include <algorithm>
#include <charconv>

namespace zablab::zab::zoo_cfg_detail {
namespace {

bool isBlank(char c) { return c == ' ' || c == '\t' || c == '\f'; }

/// The next character of `line` from `at` on, unescaped, appended to `out`; a \uXXXX as UTF-8. False if there
/// are not four digits.
bool takeEscaped(const Text& line, std::size_t& at, Text& out) {
  const Place place = line.at(at);
  if (line.chars[at] != '\\' || at + 1 == line.chars.size()) {
    out.add(line.chars[at++], place);
    return true;
  }
  const char c = line.chars[at + 1];
  at += 2;
  if (c != 'u') {
    out.add(c == 't' ? '\t' : c == 'n' ? '\n' : c == 'r' ? '\r' : c == 'f' ? '\f' : c, place);
    return true;
  }
  const std::string_view digits = std::string_view(line.chars).substr(at, 4);
  unsigned code = 0;
  const auto [stop, error] = std::from_chars(digits.data(), digits.data() + digits.size(), code, 16);
  if (digits.size() < 4 || error != std::errc{} || stop != digits.data() + digits.size()) return false;
  at += 4;
  if (code < 0x80) {
    out.add(static_cast<char>(code), place);
  } else if (code < 0x800) {
    out.add(static_cast<char>(0xc0 | (code >> 6)), place);
    out.add(static_cast<char>(0x80 | (code & 0x3f)), place);
  } else {
    out.add(static_cast<char>(0xe0 | (code >> 12)), place);
    out.add(static_cast<char>(0x80 | ((code >> 6) & 0x3f)), place);
    out.add(static_cast<char>(0x80 | (code & 0x3f)), place);
  }
  return true;
}

}  // namespace

Piece trimmed(Piece piece) {
  std::size_t first = 0;
  std::size_t last = piece.chars.size();
  while (first < last && static_cast<unsigned char>(piece.chars[first]) <= ' ') ++first;
  while (last > first && static_cast<unsigned char>(piece.chars[last - 1]) <= ' ') --last;
  return {piece.chars.substr(first, last - first), piece.offset + first};
}

std::vector<Piece> split(Piece piece, char separator) {
  std::vector<Piece> parts;
  std::size_t start = 0;
  while (true) {
    const std::size_t stop = std::min(piece.chars.find(separator, start), piece.chars.size());
    parts.push_back({piece.chars.substr(start, stop - start), piece.offset + start});
    if (stop == piece.chars.size()) break;
    start = stop + 1;
  }
  while (parts.size() > 1 && parts.back().chars.empty()) parts.pop_back();
  return parts;
}

char lowerCase(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

std::string lowerCase(std::string_view text) {
  std::string out(text);
  for (char& c : out) c = lowerCase(c);
  return out;
}

std::string quoted(std::string_view text) {
  constexpr std::string_view digits = "0123456789abcdef";
  constexpr std::size_t shown_max = 60;
  std::string out = "\"";
  for (const char c : text.substr(0, shown_max)) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte >= ' ' && byte < 0x7f) {
      out.push_back(c);
    } else {
      out += {'\\', 'x', digits[byte >> 4], digits[byte & 15]};
    }
  }
  out += text.size() > shown_max ? "...\"" : "\"";
  return out;
}

bool Properties::nextLine(Text& line) {
  line = {};
  while (at_ < text_.size()) {
    skipBlanks();
    const bool comment = at_ < text_.size() && (text_[at_] == '#' || text_[at_] == '!');
    if (comment) {
      while (!atLineEnd()) step();
    } else {
      while (takeNaturalLine(line)) skipBlanks();
    }
    line.end = place_;
    skipLineEnd();
    if (!line.chars.empty()) return true;
  }
  return false;
}

void Properties::step() {
  ++at_;
  ++place_.column;
}

void Properties::skipBlanks() {
  while (at_ < text_.size() && isBlank(text_[at_])) step();
}

void Properties::skipLineEnd() {
  if (at_ == text_.size()) return;
  at_ += text_.substr(at_, 2) == "\r\n" ? 2 : 1;
  place_ = {place_.line + 1, 1};
}

/// Adds the rest of this line; true when a backslash at its end continues it.
bool Properties::takeNaturalLine(Text& line) {
  while (!atLineEnd()) {
    const bool escape = text_[at_] == '\\';
    if (escape) {
      const Place at = place_;
      step();
      if (atLineEnd()) {
        skipLineEnd();
        return at_ < text_.size();
      }
      line.add('\\', at);
    }
    line.add(text_[at_], place_);
    step();
  }
  return false;
}

std::optional<Entry> entryOf(const Text& line) {
  Entry entry;
  std::size_t at = 0;
  const std::size_t size = line.chars.size();
  const auto separates = [](char c) { return c == '=' || c == ':'; };
  while (at < size && !separates(line.chars[at]) && !isBlank(line.chars[at])) {
    if (!takeEscaped(line, at, entry.key)) return std::nullopt;
  }
  entry.key.end = line.at(at);
  while (at < size && isBlank(line.chars[at])) ++at;
  if (at < size && separates(line.chars[at])) ++at;
  while (at < size && isBlank(line.chars[at])) ++at;
  while (at < size) {
    if (!takeEscaped(line, at, entry.value)) return std::nullopt;
  }
  entry.value.end = line.end;
  return entry;
}

}  // namespace zablab::zab::zoo_cfg_detail
