// A trace as a log for ShiViz, which draws events with vector clocks as a graph of what happened before what.
//
// The first line is the regular expression with which ShiViz reads the log, the second the one that separates
// the logs of several runs: what follows the second line of another file can be appended. Each event is a
// line. The hosts are the trace's nodes, and `network` for what happens at none of them. An event follows the
// events of its node, its cause, and the sending of the message that it delivers or loses, also if these are
// not in the log.
#pragma once

#include <string>

#include "viz/ladder.h"

namespace zablab::viz {

/// Obeys `from`, `to`, `nodes`, `kinds` and the options about heartbeats and a node's messages to itself.
/// Throws InputError if there is nothing to write.
std::string toShiviz(const Trace& trace, const LadderOptions& options);

}  // namespace zablab::viz
