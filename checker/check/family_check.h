// Checking the models of one family. checker/check/check_impl.h contains the definitions, for the one file of
// each family that instantiates them.
#pragma once

#include <vector>

#include "checker/check/check.h"
#include "checker/monitor.h"

namespace zablab {

/// Throws InputError if the model names something that does not exist.
template <class F>
void checkModelOf(const LoadedModel& model);
template <class F>
CheckResult checkOf(const LoadedModel& model, const CheckOptions& options);
/// See Protocol::possibleActions.
template <class F>
Json possibleActionsOf(const LoadedScenario& scenario, Millis time);
/// Invariants that a state shows by itself, and that only a search judges.
template <class F>
std::vector<InvariantInfo> stateInvariantsOf();

}  // namespace zablab
