// The roles that servers had in a run, as an automaton: a state for each role and phase with a tone, an edge
// for each change, with its number and the servers that made it.
#pragma once

#include <string>

#include "viz/ladder.h"

namespace zablab::viz {

/// DOT that Graphviz lays out. Of `options`, the window, the servers and the theme count.
std::string rolesDot(const Trace& trace, const LadderOptions& options);

}  // namespace zablab::viz
