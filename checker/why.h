// Why a run violates an invariant or loses a write. What its scenario has is left out, one thing at a time,
// in a run of its own: what is needed is what without which the run does not do it. Beside that, what became
// of the write or the log's entry in question, and when nodes that a violation names were elected.
#pragma once

#include <cstdint>
#include <vector>

#include "sim/trace.h"

namespace zablab {

/// What was needed for each violation and loss of the trace's run. Empty: there is none, or the run cannot be
/// repeated. `events_max`: of all those runs together; the rest of the scenario is not tried then.
std::vector<Why> whyOf(const Trace& trace, std::uint64_t events_max = 300'000);

}  // namespace zablab
