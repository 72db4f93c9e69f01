#pragma once

#include "checker/zab/monitors.h"

#include <utility>

#include "checker/zab/invariants_election_impl.h"
#include "checker/zab/invariants_recovery_impl.h"
#include "checker/zab/ledger_impl.h"

namespace zablab::zab {

template <class F>
std::vector<std::unique_ptr<Monitor<F>>> monitorsOf(BasicLedger<F>& ledger) {
  auto monitors = recoveryMonitors<F>(ledger);
  for (auto& monitor : ServiceBook<F>::monitors(ledger)) monitors.push_back(std::move(monitor));
  for (auto& monitor : electionMonitors<F>(ledger)) monitors.push_back(std::move(monitor));
  return monitors;
}

template <class F>
std::unique_ptr<MonitorSet<F>> monitorsWith(std::unique_ptr<BasicLedger<F>> ledger) {
  auto monitors = monitorsOf<F>(*ledger);
  return std::make_unique<MonitorSet<F>>(std::move(ledger), std::move(monitors));
}

}  // namespace zablab::zab
