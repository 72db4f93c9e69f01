// A picture for the terminal: the rows of the picture, one after the other. A message is in the row in which
// it arrives, `○───(1,3,0)@33──▶●`, and states in which row it left.
#pragma once

#include <string>

#include "viz/sheet.h"

namespace zablab::viz {

struct TextOptions {
  int width = 140;      ///< columns
  bool ascii = false;   ///< only ASCII
  bool colour = false;  ///< uses the escape sequences of a terminal
};

std::string toText(const Sheet& sheet, const TextOptions& options);

}  // namespace zablab::viz
