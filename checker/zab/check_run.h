// Models of ZooKeeper's servers, checked.
#pragma once

#include "checker/check/check.h"

namespace zablab::zab {

/// Throws InputError where the model names what there is not.
void checkModel(const LoadedModel& model);
CheckResult check(const LoadedModel& model, const CheckOptions& options);

}  // namespace zablab::zab
