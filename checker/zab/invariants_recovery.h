// The invariants of recovery and broadcast: what is committed is never lost, what is uncommitted is never
// visible, and what these two rest on.
#pragma once

#include <memory>
#include <vector>

#include "checker/monitor.h"
#include "checker/zab/ledger.h"

namespace zablab::zab {

/// All invariants of recovery and broadcast. They read `ledger`, which receives everything before they do.
template <class F>
std::vector<std::unique_ptr<Monitor<F>>> recoveryMonitors(BasicLedger<F>& ledger);

}  // namespace zablab::zab
