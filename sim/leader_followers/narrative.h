// The result of a run of Leader and Followers, in a few sentences.
#pragma once

#include <string>
#include <vector>

#include "sim/trace.h"

namespace zablab::leader_followers {

/// Who leads when the run ends, elected by whose votes, what was cut off a log since that election, and what
/// was committed last, with whom: one sentence each.
std::vector<std::string> answerOf(const Trace& trace);

}  // namespace zablab::leader_followers
