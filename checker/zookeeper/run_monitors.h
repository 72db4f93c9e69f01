// The invariants of ZooKeeper's service that only runs judge: watches, the times of sessions, and what
// clients make of requests and answers.
#pragma once

#include <span>

#include "checker/zookeeper/records.h"

namespace zablab::zookeeper {

std::span<const zablab::Invariant<Records>> runInvariants();

}  // namespace zablab::zookeeper
