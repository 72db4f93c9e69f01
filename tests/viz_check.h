// Checks whether a picture is correct.
#pragma once

#include "sim/trace.h"
#include "viz/ladder.h"

namespace zablab::viz {

/// Reads the DOT text of the trace's picture back and compares it with the trace: everything is present once,
/// on its lane, in order, and nothing else.
void checkPicture(const Trace& trace, const LadderOptions& options);

/// Checks what viz/ladder.h states about every layout.
void checkLayout(const Ladder& ladder);

}  // namespace zablab::viz
