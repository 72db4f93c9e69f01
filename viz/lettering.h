// Text for pictures: made harmless, measured, wrapped and cut. Widths come from a table for the usual sans
// serif fonts (Helvetica, Arial and Liberation Sans have the same widths), never from the machine's fonts: a
// trace always has the same picture.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace zablab::viz {

/// Tenths of a typographic point. Pictures are computed in integers, so that they have the same bytes
/// everywhere.
using Tenths = std::int32_t;

enum class Face { sans, bold, mono };

/// One line of valid UTF-8 without control, bidirectional or invisible formatting characters: control
/// characters become their pictures (U+2400 and on), everything else that could cause errors in a file or on
/// a terminal becomes U+FFFD.
std::string clean(std::string_view text);

/// The code points of clean text.
std::vector<std::uint32_t> codePoints(std::string_view text);
std::string utf8(std::uint32_t code_point);

/// The number of columns of clean text in a terminal.
int columns(std::string_view text);

/// Tenths of a point as points, as in `12.5`.
std::string points(Tenths value);

/// Width of clean text in a picture.
Tenths textWidth(std::string_view text, Face face, Tenths size);

/// `text`, or as much of it as fits, with an ellipsis.
std::string elide(const std::string& text, Face face, Tenths size, Tenths width_max);
std::string elideColumns(const std::string& text, int columns_max);

/// Breaks at blanks (and inside a word that is too long); if lines are left over, the last one ends in an
/// ellipsis.
std::vector<std::string> wrap(const std::string& text, Face face, Tenths size, Tenths width_max,
                              std::size_t lines_max);
std::vector<std::string> wrapColumns(const std::string& text, int columns_max, std::size_t lines_max);

/// The text as HTML, SVG and XML write it.
std::string htmlText(std::string_view text);

}  // namespace zablab::viz
