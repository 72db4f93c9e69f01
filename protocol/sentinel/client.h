// A client: it asks a sentinel for the address of the master, and writes there.
#pragma once

#include "protocol/sentinel/context.h"

namespace zablab::sentinel {

void stepClient(const Context& ctx, const Input& input);

}  // namespace zablab::sentinel
