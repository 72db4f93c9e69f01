// A ladder for the terminal: the rows of the picture, one after the other. A message stands in the row in
// which it arrives, `○───(1,3,0)@33──▶●`, and says in which row it left.
#pragma once

#include <string>

#include "viz/ladder.h"

namespace zablab::viz {

struct TextOptions {
  int width = 140;      ///< columns
  bool ascii = false;   ///< nothing but ASCII
  bool colour = false;  ///< with the escape sequences of a terminal
};

std::string toText(const Ladder& ladder, const TextOptions& options);

}  // namespace zablab::viz
