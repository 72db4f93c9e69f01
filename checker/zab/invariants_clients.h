// What must be true of what clients are told: writes that were answered stay, answers say what is there, in
// the order in which they were asked for.
#pragma once

#include <memory>
#include <vector>

#include "checker/monitor.h"
#include "checker/zab/ledger.h"

namespace zablab::zab {

/// All invariants of what clients see, with this book.
std::vector<std::unique_ptr<Monitor<Family>>> serviceMonitors(Ledger& ledger);

}  // namespace zablab::zab
