// What must be true of a register that a quorum of replicas keeps. Not all of it is promised under all rules:
// that is what the rules are there to show.
#pragma once

#include <memory>
#include <vector>

#include "checker/monitor.h"
#include "checker/quorum_register/ledger.h"

namespace zablab::quorum_register {

/// All invariants, with this book.
std::vector<std::unique_ptr<Monitor<Family>>> monitors(Ledger& ledger);
/// With a book of their own, for a run.
std::unique_ptr<MonitorSet<Family>> allMonitors(const Cluster<Family>& cluster);
std::unique_ptr<MonitorSet<Family>> monitorsWith(std::unique_ptr<Ledger> ledger);

}  // namespace zablab::quorum_register
