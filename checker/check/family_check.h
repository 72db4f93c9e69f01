// Checking the models of one family. checker/check/check_impl.h has the definitions, for the one file of each
// family that instantiates them.
#pragma once

#include <vector>

#include "checker/check/check.h"
#include "checker/monitor.h"

namespace zablab {

/// Throws InputError where the model names what there is not.
template <class F>
void checkModelOf(const LoadedModel& model);
template <class F>
CheckResult checkOf(const LoadedModel& model, const CheckOptions& options);
/// Invariants that a state shows by itself, and that nothing but a search judges.
template <class F>
std::vector<InvariantInfo> stateInvariantsOf();

}  // namespace zablab
