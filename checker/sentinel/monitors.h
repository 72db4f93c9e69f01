// The invariants of Sentinel. They do not promise that no acknowledged write is lost: replication is
// asynchronous, and what that costs is measured.
#pragma once

#include <memory>

#include "checker/monitor.h"
#include "checker/sentinel/ledger.h"

namespace zablab {
namespace sentinel {

/// All of them, reading this ledger.
std::unique_ptr<MonitorSet<Family>> monitorsWith(std::unique_ptr<Ledger> ledger);

}  // namespace sentinel

template <>
struct InvariantsOf<sentinel::Family>
    : InvariantsWith<sentinel::Family, sentinel::Ledger, &sentinel::monitorsWith> {};

}  // namespace zablab
