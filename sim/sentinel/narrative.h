// The result of a run of Sentinel, in a few sentences.
#pragma once

#include <string>
#include <vector>

#include "sim/trace.h"

namespace zablab::sentinel {

/// Which configuration each sentinel follows when the run ends, who was elected last, and how many of the
/// acknowledged writes the new masters do not have: one sentence each.
std::vector<std::string> answerOf(const Trace& trace);

}  // namespace zablab::sentinel
