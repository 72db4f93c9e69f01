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

/// The rules by which requests are judged: those of ZooKeeper, whatever the servers do, but for what a server
/// is configured for and what releases answer differently.
Rules judgedBy(const Ledger& ledger);

/// An answer that an operation is unknown: it shows nothing of the server's state.
inline bool isOfUnknownRequest(Zxid zxid, const Result& result) {
  return zxid == Zxid{} && result.error == Error::UNIMPLEMENTED;
}

}  // namespace zablab::zookeeper
