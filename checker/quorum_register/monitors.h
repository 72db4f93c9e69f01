// The invariants of a register that a quorum of replicas keeps. Not all of them are guaranteed under all
// rules: the rules serve to show that.
#pragma once

#include <memory>
#include <vector>

#include "checker/monitor.h"
#include "checker/quorum_register/ledger.h"

namespace zablab::quorum_register {

/// All invariants, with this book.
std::vector<std::unique_ptr<Monitor<Family>>> monitors(Ledger& ledger);
/// With their own book, for a run.
std::unique_ptr<MonitorSet<Family>> allMonitors(const Cluster<Family>& cluster);
std::unique_ptr<MonitorSet<Family>> monitorsWith(std::unique_ptr<Ledger> ledger);

}  // namespace zablab::quorum_register
