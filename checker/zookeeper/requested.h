// The invariants that the states of a run show, and that it judges if its scenario names them.
#pragma once

#include <memory>
#include <string_view>

#include "checker/monitor.h"
#include "protocol/zookeeper/family.h"
#include "sim/run_of.h"

namespace zablab::zookeeper {

/// How long a client may wait in vain: longer than a session lasts at the usual tick.
inline constexpr Millis vain_ms_max = 60'000;

/// Null: there is none of that name.
std::unique_ptr<Monitor<Family>> requestedOf(RunOf<Family>& run, std::string_view name);

}  // namespace zablab::zookeeper
