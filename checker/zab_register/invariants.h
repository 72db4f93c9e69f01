// The family `zab`'s invariants, and its decisions, for the engines.
#pragma once

#include <memory>
#include <vector>

#include "checker/conformance.h"
#include "checker/family.h"
#include "checker/zab/monitors.h"
#include "checker/zab_register/ledger.h"

namespace zablab {

namespace zab {
extern template std::unique_ptr<MonitorSet<Family>> monitorsWith(std::unique_ptr<BasicLedger<Family>> ledger);
}  // namespace zab

template <>
struct InvariantsOf<zab::Family> {
  static std::unique_ptr<MonitorSet<zab::Family>> all(const Cluster<zab::Family>& cluster) {
    return zab::monitorsWith(std::make_unique<zab::Ledger>(cluster));
  }
  static std::vector<TableFunction> functions();
  static std::vector<RecordingKind> recordingKinds();
};

}  // namespace zablab
