// A trace as a sequence of states in the Informal Trace Format, which Apalache, Quint and the ITF viewers
// read.
//
// There is a state before the first step and one after each step. Each field of the nodes' states is a
// variable, a map from node names to values; a node that is down or has no such field is not in the map.
// Further variables: `step` (index of the step's first event), `time_ms`, `event`, `messages` (those under
// way, by number), and the two with which Quint's model-based testing names an action, `mbt::actionTaken` and
// `mbt::nondetPicks`.
#pragma once

#include <cstddef>
#include <string>

#include "viz/ladder.h"

namespace zablab::viz {

/// Each state is written whole; a file ends before this size and says so.
inline constexpr std::size_t itf_bytes_max = std::size_t{64} << 20;

/// Obeys `from`, `to`, `nodes` and `kinds` (of a step's events, one must be of these). Throws InputError if
/// there is nothing to write.
std::string toItf(const Trace& trace, const LadderOptions& options, std::size_t bytes_max = itf_bytes_max);

}  // namespace zablab::viz
