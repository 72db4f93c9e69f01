// The file formats in which a trace can be written.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "viz/sheet.h"

namespace zablab::viz {

/// A format, known by its file names' extension. Either it draws a picture of ladders, or it is made from the
/// trace itself.
struct Format {
  std::string_view extension;                             ///< as in `.svg`
  std::string_view what;                                  ///< a few words for a list of formats
  bool picture = false;                                   ///< whether it is drawn from ladders
  std::string (*of_sheet)(const Sheet& sheet) = nullptr;  ///< null: Graphviz draws it
  std::string (*of_trace)(const Trace& trace, const LadderOptions& options) = nullptr;
};

/// All formats.
std::span<const Format> formats();

/// The format of a file with this name, or null. Of several extensions that fit the longest counts.
const Format* formatOf(std::string_view file_name);

}  // namespace zablab::viz
