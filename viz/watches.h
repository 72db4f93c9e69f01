// Who watches what at one moment of a run: the nodes of the trace's trees that clients own or watch, and an
// edge from each watcher to what it watches. A client that owns one node in the same place is drawn as that
// node.
#pragma once

#include <string>

#include "viz/ladder.h"

namespace zablab::viz {

/// DOT that Graphviz lays out: the moment is the end of the window. Of `options`, the window and the theme
/// count. Throws std::invalid_argument if the trace's header does not say where watches are.
std::string watchesDot(const Trace& trace, const LadderOptions& options);

}  // namespace zablab::viz
