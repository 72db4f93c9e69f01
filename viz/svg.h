// A picture as an SVG document, which no other program has to lay out or draw. The text is the same on every
// machine.
#pragma once

#include <string>

#include "viz/sheet.h"

namespace zablab::viz {

std::string toSvg(const Sheet& sheet);

}  // namespace zablab::viz
