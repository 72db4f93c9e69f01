// The invariants of a register that a quorum of replicas keeps. Not all of them are guaranteed under all
// rules: the rules serve to show that.
#pragma once

#include <memory>

#include "checker/monitor.h"
#include "checker/quorum_register/ledger.h"

namespace zablab {
namespace quorum_register {

/// All of them, reading this ledger.
std::unique_ptr<MonitorSet<Family>> monitorsWith(std::unique_ptr<Ledger> ledger);

}  // namespace quorum_register

template <>
struct InvariantsOf<quorum_register::Family>
    : InvariantsWith<quorum_register::Family, quorum_register::Ledger, &quorum_register::monitorsWith> {};

}  // namespace zablab
