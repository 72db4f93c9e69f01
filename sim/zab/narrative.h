// What a trace of this family tells, in a few lines.
#pragma once

#include <string>
#include <vector>

#include "sim/trace.h"

namespace zablab::zab {

/// Who won each election and why, which epochs were established, and what clients cannot know: a line each.
std::vector<std::string> tellElections(const Trace& trace);

}  // namespace zablab::zab
