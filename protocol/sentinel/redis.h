// A Redis server: a master, or a replica that copies the data of its master asynchronously.
#pragma once

#include "protocol/sentinel/context.h"

namespace zablab::sentinel {

void stepRedis(const Context& ctx, const Input& input);

}  // namespace zablab::sentinel
