#include "viz/lettering.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <functional>

namespace zablab::viz {
namespace {

constexpr std::uint32_t replacement = 0xFFFD;
constexpr const char* ellipsis = "…";

/// Thousandths of an em for U+0020 to U+007E.
constexpr std::array<std::int32_t, 95> sans_widths = {
    278, 278, 355, 556, 556, 889, 667, 191, 333, 333, 389, 584, 278, 333,  278, 278, 556, 556, 556,
    556, 556, 556, 556, 556, 556, 556, 278, 278, 584, 584, 584, 556, 1015, 667, 667, 722, 722, 667,
    611, 778, 722, 278, 500, 667, 556, 833, 722, 778, 667, 778, 722, 667,  611, 722, 667, 944, 667,
    667, 611, 278, 278, 278, 469, 556, 333, 556, 556, 500, 556, 556, 278,  556, 556, 222, 222, 500,
    222, 833, 556, 556, 556, 556, 333, 500, 278, 556, 500, 722, 500, 500,  500, 334, 260, 334, 584};

struct Range {
  std::uint32_t first, last;
};

template <std::size_t n>
bool within(const std::array<Range, n>& ranges, std::uint32_t code_point) {
  return std::any_of(ranges.begin(), ranges.end(),
                     [=](Range range) { return range.first <= code_point && code_point <= range.last; });
}

bool isWide(std::uint32_t code_point) {
  static constexpr std::array<Range, 12> wide = {{{0x1100, 0x115F},
                                                  {0x2E80, 0x303E},
                                                  {0x3041, 0xA4CF},
                                                  {0xAC00, 0xD7A3},
                                                  {0xF900, 0xFAFF},
                                                  {0xFE30, 0xFE6F},
                                                  {0xFF00, 0xFF60},
                                                  {0xFFE0, 0xFFE6},
                                                  {0x1F300, 0x1F64F},
                                                  {0x1F680, 0x1F6FF},
                                                  {0x1F900, 0x1FAFF},
                                                  {0x20000, 0x3FFFD}}};
  return within(wide, code_point);
}

bool isCombining(std::uint32_t code_point) {
  static constexpr std::array<Range, 6> combining = {{{0x0300, 0x036F},
                                                      {0x0483, 0x0489},
                                                      {0x1AB0, 0x1AFF},
                                                      {0x1DC0, 0x1DFF},
                                                      {0x20D0, 0x20FF},
                                                      {0xFE20, 0xFE2F}}};
  return within(combining, code_point);
}

bool isHarmful(std::uint32_t code_point) {
  static constexpr std::array<Range, 12> harmful = {{{0x80, 0x9F},
                                                     {0xAD, 0xAD},
                                                     {0x061C, 0x061C},
                                                     {0x180E, 0x180E},
                                                     {0x200B, 0x200F},
                                                     {0x2028, 0x202E},
                                                     {0x2060, 0x206F},
                                                     {0xFDD0, 0xFDEF},
                                                     {0xFE00, 0xFE0F},
                                                     {0xFEFF, 0xFEFF},
                                                     {0xFFF0, 0xFFFB},
                                                     {0xE0000, 0xE0FFF}}};
  return within(harmful, code_point) || (code_point & 0xFFFE) == 0xFFFE;
}

/// Decodes the code point at `at` and moves on; malformed bytes give one replacement each.
std::uint32_t decode(std::string_view text, std::size_t& at) {
  const auto byte = [&](std::size_t i) {
    return static_cast<std::uint32_t>(static_cast<unsigned char>(text[i]));
  };
  const std::uint32_t lead = byte(at++);
  if (lead < 0x80) return lead;
  const std::size_t more = lead >= 0xF0 ? 3 : lead >= 0xE0 ? 2 : 1;
  if (lead < 0xC2 || lead > 0xF4 || at + more > text.size()) return replacement;
  std::uint32_t code_point = lead & (0x3FU >> more);
  for (std::size_t i = 0; i < more; ++i) {
    if ((byte(at + i) & 0xC0) != 0x80) return replacement;
    code_point = code_point << 6 | (byte(at + i) & 0x3F);
  }
  static constexpr std::array<std::uint32_t, 4> least = {0, 0x80, 0x800, 0x10000};
  const bool surrogate = code_point >= 0xD800 && code_point <= 0xDFFF;
  if (code_point < least[more] || code_point > 0x10FFFF || surrogate) return replacement;
  at += more;
  return code_point;
}

std::int32_t thousandths(std::uint32_t code_point, Face face) {
  if (isCombining(code_point)) return 0;
  if (isWide(code_point)) return face == Face::mono ? 1200 : 1000;
  if (face == Face::mono) return 602;
  if (code_point >= 0x20 && code_point < 0x7F) return sans_widths[code_point - 0x20];
  return code_point < 0x2000 ? 670 : 1000;
}

using Measure = std::function<std::int64_t(std::string_view)>;

std::string cutTo(const std::string& text, std::int64_t width_max, const Measure& measure) {
  if (measure(text) <= width_max) return text;
  std::string kept;
  for (const std::uint32_t code_point : codePoints(text)) {
    const std::string longer = kept + utf8(code_point);
    if (measure(longer + ellipsis) > width_max) break;
    kept = longer;
  }
  while (!kept.empty() && kept.back() == ' ') kept.pop_back();
  return kept + ellipsis;
}

/// Takes from the front of `rest` what fits one line.
std::string takeLine(std::string& rest, std::int64_t width_max, const Measure& measure) {
  std::size_t fits = 0, last_blank = 0;
  for (std::size_t at = 0; at < rest.size();) {
    std::size_t next = at;
    const bool blank = rest[at] == ' ';
    const std::uint32_t code_point = decode(rest, next);
    // A line may also end before a Chinese character, unless it is one of punctuation.
    const bool punctuation = (code_point >= 0x3001 && code_point <= 0x303F) || code_point >= 0xFF00;
    if (blank || (at > 0 && isWide(code_point) && !punctuation)) last_blank = at;
    if (at > 0 && measure(std::string_view(rest).substr(0, next)) > width_max && !blank) break;
    fits = at = next;
  }
  if (fits < rest.size() && last_blank > 0) fits = last_blank;
  std::string line = rest.substr(0, fits);
  rest.erase(0, fits);
  rest.erase(0, std::min(rest.find_first_not_of(' '), rest.size()));
  while (!line.empty() && line.back() == ' ') line.pop_back();
  return line;
}

std::vector<std::string> wrapWith(const std::string& text, std::int64_t width_max, std::size_t lines_max,
                                  const Measure& measure) {
  std::vector<std::string> lines;
  std::string rest = text;
  rest.erase(0, std::min(rest.find_first_not_of(' '), rest.size()));
  while (!rest.empty() && lines.size() < lines_max) {
    if (lines.size() + 1 == lines_max) {
      lines.push_back(cutTo(rest, width_max, measure));
      break;
    }
    lines.push_back(takeLine(rest, width_max, measure));
  }
  return lines;
}

}  // namespace

std::string utf8(std::uint32_t code_point) {
  const auto byte = [](std::uint32_t value) { return static_cast<char>(static_cast<unsigned char>(value)); };
  if (code_point < 0x80) return {byte(code_point)};
  if (code_point < 0x800) return {byte(0xC0 | code_point >> 6), byte(0x80 | (code_point & 0x3F))};
  if (code_point < 0x10000) {
    return {byte(0xE0 | code_point >> 12), byte(0x80 | (code_point >> 6 & 0x3F)),
            byte(0x80 | (code_point & 0x3F))};
  }
  return {byte(0xF0 | code_point >> 18), byte(0x80 | (code_point >> 12 & 0x3F)),
          byte(0x80 | (code_point >> 6 & 0x3F)), byte(0x80 | (code_point & 0x3F))};
}

std::vector<std::uint32_t> codePoints(std::string_view text) {
  std::vector<std::uint32_t> result;
  for (std::size_t at = 0; at < text.size();) result.push_back(decode(text, at));
  return result;
}

std::string clean(std::string_view text) {
  std::string result;
  result.reserve(text.size());
  for (std::uint32_t code_point : codePoints(text)) {
    if (code_point < 0x20) code_point += 0x2400;
    if (code_point == 0x7F) code_point = 0x2421;
    result += utf8(isHarmful(code_point) ? replacement : code_point);
  }
  return result;
}

int columns(std::string_view text) {
  int result = 0;
  for (const std::uint32_t code_point : codePoints(text)) {
    result += isCombining(code_point) ? 0 : isWide(code_point) ? 2 : 1;
  }
  return result;
}

std::string points(Tenths value) {
  const std::int64_t size = std::abs(static_cast<std::int64_t>(value));
  return (value < 0 ? "-" : "") + std::to_string(size / 10) + '.' + std::to_string(size % 10);
}

Tenths textWidth(std::string_view text, Face face, Tenths size) {
  std::int64_t sum = 0;
  for (const std::uint32_t code_point : codePoints(text)) sum += thousandths(code_point, face);
  if (face == Face::bold) sum = sum * 107 / 100;
  return static_cast<Tenths>(std::min<std::int64_t>((sum * size + 999) / 1000, 1'000'000));
}

std::string elide(const std::string& text, Face face, Tenths size, Tenths width_max) {
  return cutTo(text, width_max, [=](std::string_view part) { return textWidth(part, face, size); });
}

std::string elideColumns(const std::string& text, int columns_max) {
  if (columns_max <= 0) return "";
  return cutTo(text, columns_max, [](std::string_view part) { return columns(part); });
}

std::vector<std::string> wrap(const std::string& text, Face face, Tenths size, Tenths width_max,
                              std::size_t lines_max) {
  return wrapWith(text, width_max, lines_max,
                  [=](std::string_view part) { return textWidth(part, face, size); });
}

std::vector<std::string> wrapColumns(const std::string& text, int columns_max, std::size_t lines_max) {
  return wrapWith(text, std::max(columns_max, 1), lines_max,
                  [](std::string_view part) { return columns(part); });
}

std::string htmlText(std::string_view text) {
  std::string result;
  for (const char c : text) {
    switch (c) {
      case '&': result += "&amp;"; break;
      case '<': result += "&lt;"; break;
      case '>': result += "&gt;"; break;
      case '"': result += "&quot;"; break;
      default: result += c;
    }
  }
  return result;
}

}  // namespace zablab::viz
