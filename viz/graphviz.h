// Runs Graphviz' `dot` on DOT text: without a shell, with a time limit, and without ever leaving a
// half-written file.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>

#include "viz/sheet.h"

namespace zablab::viz {

enum class ImageFormat { svg, png };

struct GraphvizOptions {
  std::string program = "dot";
  int dpi = 96;  ///< of a PNG
  std::int64_t time_limit_ms = 60'000;
};

/// An error, described for people: what failed, and what to do about it.
class GraphvizError : public std::runtime_error {
 public:
  enum class Kind { missing, too_large, timed_out, failed, file };
  GraphvizError(Kind what_kind, const std::string& message) : std::runtime_error(message), kind(what_kind) {}
  Kind kind;
};

/// The largest number of pixels of a PNG's longer side that cairo can draw.
inline constexpr std::int64_t png_pixels_max = 32'767;

/// The longer side of the picture as a PNG.
std::int64_t pngPixels(const Sheet& sheet, int dpi);

/// Draws DOT text into `path`, which is replaced at the end. Throws GraphvizError.
void drawDot(const std::string& dot, ImageFormat format, const std::string& path,
             const GraphvizOptions& options);

/// Draws a picture; refuses a PNG that would be too large before any program is run. Throws GraphvizError.
void drawSheet(const Sheet& sheet, ImageFormat format, const std::string& path,
               const GraphvizOptions& options);

}  // namespace zablab::viz
