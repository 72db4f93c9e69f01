// The ZAB family's invariants, and its decisions, for the engines.
#pragma once

#include <memory>
#include <vector>

#include "checker/family.h"
#include "checker/zab/invariants_recovery.h"
#include "checker/zab/recording_kinds.h"
#include "checker/zab/tables.h"

namespace zablab {

template <>
struct InvariantsOf<zab::Family> {
  static std::unique_ptr<MonitorSet<zab::Family>> all(const Cluster<zab::Family>& cluster) {
    return zab::allMonitors(cluster);
  }
  static std::vector<TableFunction> functions() { return zab::tableFunctions(); }
  static std::vector<RecordingKind> recordingKinds() { return zab::recordingKinds(); }
};

}  // namespace zablab
