// A run of a Redis Cluster in a few sentences.
#pragma once

#include <string>
#include <vector>

#include "sim/trace.h"

namespace zablab::redis_cluster {

/// Flags by a majority, elections, and what was lost: one line for each.
std::vector<std::string> narrativeOf(const Trace& trace);
/// Who was promoted, and how the clients' requests ended.
std::vector<std::string> answerOf(const Trace& trace);

}  // namespace zablab::redis_cluster
