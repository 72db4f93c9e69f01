// Checking the models of one family. checker/check/check_impl.h has the definitions, for the one file of each
// family that instantiates them.
#pragma once

#include "checker/check/check.h"

namespace zablab {

/// Throws InputError where the model names what there is not.
template <class F>
void checkModelOf(const LoadedModel& model);
template <class F>
CheckResult checkOf(const LoadedModel& model, const CheckOptions& options);

}  // namespace zablab
