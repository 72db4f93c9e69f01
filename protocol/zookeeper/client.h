// A client's session (ClientCnxn): it keeps a connection to one server at a time, sends requests and is
// answered in order, pings, connects again when the connection is lost, and registers its watches again.
#pragma once

#include "protocol/zookeeper/family.h"

namespace zablab::zookeeper {

void stepClient(const NodeConfig& config, const Context& ctx, const Input& input);

}  // namespace zablab::zookeeper
