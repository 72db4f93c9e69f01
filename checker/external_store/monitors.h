// The invariants of an election on an external store.
#pragma once

#include <memory>

#include "checker/external_store/ledger.h"
#include "checker/monitor.h"

namespace zablab {
namespace external_store {

/// All of them, reading this ledger.
std::unique_ptr<MonitorSet<Family>> monitorsWith(std::unique_ptr<Ledger> ledger);

}  // namespace external_store

template <>
struct InvariantsOf<external_store::Family>
    : InvariantsWith<external_store::Family, external_store::Ledger, &external_store::monitorsWith> {};

}  // namespace zablab
