// Checking the models of a family.
#pragma once

#include "checker/check/check.h"
#include "checker/check/contract.h"

namespace zablab {

/// Throws InputError if the model names something that does not exist.
void checkModelOf(const AnyFamily& family, const FamilyCheck& check, const LoadedModel& model);
/// The same.
CheckResult checkOf(const AnyFamily& family, const FamilyCheck& check, const LoadedModel& model,
                    const CheckOptions& options);
/// See Protocol::possibleActions.
Json possibleActionsOf(const AnyFamily& family, const FamilyCheck& check, const LoadedScenario& scenario,
                       Millis time);
/// Throws TableFull if a search cannot distinguish so many invariants.
void checkInvariantCount(std::size_t count);

}  // namespace zablab
