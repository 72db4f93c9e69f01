// The ledger with the part about clients: what they asked of which server, the tree that each server's
// history leads to, and what answers should therefore be.
#pragma once

#include "checker/zab/ledger.h"
#include "checker/zookeeper/memory.h"

namespace zablab::zab {

extern template class BasicLedger<zookeeper::Family>;

}  // namespace zablab::zab

namespace zablab::zookeeper {

using Ledger = zab::BasicLedger<Family>;

}  // namespace zablab::zookeeper
