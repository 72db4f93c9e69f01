// Checks whether the servers would have answered clients as real servers did: recorded sequences of requests
// are made to a simulated ensemble, and every reply and event is compared.
#pragma once

#include <memory>

#include "checker/conformance.h"
#include "protocol/zookeeper/rules.h"

namespace zablab::zookeeper {

std::unique_ptr<Conformance> judgeClients(const Rules& rules);

}  // namespace zablab::zookeeper
