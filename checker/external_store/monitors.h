// The invariants of an election on an external store.
#pragma once

#include <memory>

#include "checker/external_store/ledger.h"
#include "checker/monitor.h"

namespace zablab {
namespace external_store {

/// Those that a search judges as well, reading this ledger.
std::unique_ptr<MonitorSet<Family>> monitorsWith(std::unique_ptr<Ledger> ledger);
/// All of them, of a run.
std::unique_ptr<MonitorSet<Family>> runMonitors(const Cluster<Family>& cluster);

}  // namespace external_store

template <>
struct InvariantsOf<external_store::Family> {
  static std::unique_ptr<MonitorSet<external_store::Family>> all(
      const Cluster<external_store::Family>& cluster) {
    return external_store::runMonitors(cluster);
  }
};

}  // namespace zablab
