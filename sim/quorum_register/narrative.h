// The result of a run of a quorum register, in a few sentences.
#pragma once

#include <string>
#include <vector>

#include "sim/trace.h"

namespace zablab::quorum_register {

/// How the last request of each client ended, and by which replicas, in the order of these ends; then the
/// requests that have no answer.
std::vector<std::string> answerOf(const Trace& trace);

}  // namespace zablab::quorum_register
