// All invariants of a family built on the broadcast, in their order: recovery and broadcast, what the
// service's clients see, elections. monitors_impl.h contains the definitions, for one file of each family.
#pragma once

#include <memory>
#include <vector>

#include "checker/monitor.h"
#include "checker/zab/ledger.h"

namespace zablab::zab {

/// Creates them; they read this book.
template <class F>
std::vector<std::unique_ptr<Monitor<F>>> monitorsOf(BasicLedger<F>& ledger);

/// The same, with the book.
template <class F>
std::unique_ptr<MonitorSet<F>> monitorsWith(std::unique_ptr<BasicLedger<F>> ledger);

}  // namespace zablab::zab
