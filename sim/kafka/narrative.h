// What a run was about, in a few lines.
#pragma once

#include <string>
#include <vector>

#include "sim/trace.h"

namespace zablab::kafka {

/// Who was elected, resigned, and was made the leader of the partition.
std::vector<std::string> narrativeOf(const Trace& trace);
/// The last controller and the last leader, and how often there was another controller.
std::vector<std::string> answerOf(const Trace& trace);

}  // namespace zablab::kafka
