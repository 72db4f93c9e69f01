// What clients asked and what they were answered, as histories that other tools judge: Jepsen's EDN, which
// Knossos and Elle read, and the same in JSON.
//
// An operation is invoked, and ends as `ok`, `fail` (it had no effect) or `info` (what became of it is not
// known), or it has no end in the run. A process has one operation at a time, and none after one that ended
// as `info`, as these tools demand: a client that asks several things at once, or goes on after an operation
// of unknown outcome, is several processes. The header's `calls` says which events are operations.
#pragma once

#include <string>

#include "viz/ladder.h"

namespace zablab::viz {

/// Obeys `nodes`, the clients. Throws InputError if there is nothing to write, or with `from` or `to`: a part
/// of a history cannot be judged.
std::string toEdn(const Trace& trace, const LadderOptions& options);
std::string toHistoryJson(const Trace& trace, const LadderOptions& options);

}  // namespace zablab::viz
