// A client: it asks brokers for what they know of the cluster, and, as an operator, deletes /controller.
#pragma once

#include "protocol/kafka/context.h"

namespace zablab::kafka {

void stepClient(const Context& ctx, const Input& input);

}  // namespace zablab::kafka
