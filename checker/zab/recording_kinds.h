// The kinds of recordings of ZooKeeper's servers.
#pragma once

#include <vector>

#include "checker/conformance.h"

namespace zablab::zab {

std::vector<RecordingKind> recordingKinds();

}  // namespace zablab::zab
