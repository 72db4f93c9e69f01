// Whether a trace is what its scenario gives: everything that it contains is compared, not only its events.
#pragma once

#include <string>
#include <vector>

#include "sim/trace.h"

namespace zablab {

/// What one trace says and another one does not, in words: each member of the header, the first of the
/// scenario's, of the choices, of the events and of the verdicts. Empty: nothing.
std::vector<std::string> differencesOf(const Trace& recorded, const Trace& replayed);

struct Replayed {
  Trace trace;
  std::vector<std::string> differences;
};
/// Runs a trace's scenario again, with the choices that the trace recorded; and once more without them, since
/// the scenario's seed must draw the same. Throws InputError.
Replayed replay(const Trace& recorded, const std::string& file_name);

/// Runs a trace's scenario, whose actions have a loop, with another number of rounds. It differs if one of
/// the two does not begin with the other's events or, after a round, is not in the state with which the loop
/// begins. Throws InputError.
Replayed replayLoops(const Trace& recorded, const std::string& file_name, std::int64_t loops);

}  // namespace zablab
