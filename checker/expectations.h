// What a scenario expects, judged on its trace. Only the trace is read: states are folded from the changes
// that its events carry.
#pragma once

#include <string>
#include <vector>

#include "sim/scenario.h"
#include "sim/trace.h"

namespace zablab {

/// A verdict for each expectation, in order: "met", "failed", or "undecided" if the run ended before it could
/// be decided. The trace already has its verdicts on invariants.
std::vector<TraceVerdict> judge(const Trace& trace, const std::vector<ExpectSpec>& expectations);

/// A server's state after event `index`, folded from the changes up to there; `{"up": false}` before the
/// first.
Json stateAfter(const Trace& trace, ServerId server, std::uint64_t index);

/// The names of the invariants of which something is expected.
std::vector<std::string> namedInvariants(const std::vector<ExpectSpec>& expectations);

}  // namespace zablab
