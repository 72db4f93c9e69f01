// A trace of servers that elect and broadcast, summarized in a few lines.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "sim/called.h"
#include "sim/phrase.h"
#include "sim/trace.h"

namespace zablab::zab {

/// What is to be reported of an event about the service's clients; empty: nothing.
using OwnLine = std::function<std::string(const TraceEvent&, const Called&)>;

/// Who won each election and why, which epochs were established, and what the service adds: one line for
/// each.
std::vector<std::string> tellElections(const Trace& trace, const OwnLine& own = {});

/// Who leads when the run ends, elected by whose votes, preferred for what over the strongest other
/// candidate, and what became of the end of the log: one sentence each.
std::vector<Phrase> answerOf(const Trace& trace);

}  // namespace zablab::zab
