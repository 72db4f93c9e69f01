// The invariants of elections. They do not read nodes: they count independently from messages that were
// delivered, and from what servers report when they decide.
//
// With the finalize wait, two servers may both be LEADING for a while: FastLeaderElection alone does not
// guarantee one leader. Therefore "one leader per round" is claimed only if a quorum decides immediately, as
// in the documents' account.
#pragma once

#include <memory>
#include <vector>

#include "checker/monitor.h"
#include "checker/zab/ledger.h"

namespace zablab::zab {

/// All invariants of elections, reading this book.
template <class F>
std::vector<std::unique_ptr<Monitor<F>>> electionMonitors(BasicLedger<F>& ledger);

}  // namespace zablab::zab
