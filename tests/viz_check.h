// Is a picture right?
#pragma once

#include "sim/trace.h"
#include "viz/ladder.h"

namespace zablab::viz {

/// Reads the DOT text of the trace's picture back and compares it with the trace: everything is there once,
/// on its lane, in order, and nothing else.
void checkPicture(const Trace& trace, const LadderOptions& options);

/// What viz/ladder.h promises of every layout.
void checkLayout(const Ladder& ladder);

}  // namespace zablab::viz
