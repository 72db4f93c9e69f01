// What must be true of elections. Nothing here asks a node: messages that were delivered, and what servers
// say when they decide, are counted anew.
//
// With the finalize wait, two servers may both be LEADING for a while: FastLeaderElection alone does not give
// one leader. So "one leader per round" is claimed only where a quorum decides at once, as the documents tell
// it.
#pragma once

#include <memory>
#include <vector>

#include "checker/monitor.h"
#include "checker/zab/ledger.h"

namespace zablab::zab {

/// All invariants of elections, with this book.
template <class F>
std::vector<std::unique_ptr<Monitor<F>>> electionMonitors(BasicLedger<F>& ledger);

}  // namespace zablab::zab
