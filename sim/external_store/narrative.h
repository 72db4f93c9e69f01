// The result of a run, in a few sentences.
#pragma once

#include <string>
#include <vector>

#include "sim/trace.h"

namespace zablab::external_store {

/// Who takes itself for the leader when the run ends, and how many attempts and notifications there were: one
/// sentence each.
std::vector<std::string> answerOf(const Trace& trace);

}  // namespace zablab::external_store
