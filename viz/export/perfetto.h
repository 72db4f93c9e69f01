// A trace as trace events in JSON, which Perfetto (ui.perfetto.dev) and chrome://tracing draw on a scale of
// time.
//
// Each node is a process with two tracks, its roles and its steps. A step contains a slice for each thing
// that is told of it; what happens at no node is in a process of its own. Messages are arrows. A run's times
// are whole milliseconds: what happens within one is drawn in its order, a microsecond apart.
#pragma once

#include <string>

#include "viz/ladder.h"

namespace zablab::viz {

/// Obeys `from`, `to`, `nodes`, `kinds` and the options about heartbeats and a node's messages to itself.
/// Throws InputError if there is nothing to write.
std::string toPerfetto(const Trace& trace, const LadderOptions& options);

}  // namespace zablab::viz
