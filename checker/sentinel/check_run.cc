#include "checker/check/check_impl.h"
#include "checker/sentinel/check.h"
#include "checker/sentinel/moves.h"
#include "sim/sentinel/binding.h"

namespace zablab {

template void checkModelOf<sentinel::Family>(const LoadedModel&);
template CheckResult checkOf<sentinel::Family>(const LoadedModel&, const CheckOptions&);
template Json possibleActionsOf<sentinel::Family>(const LoadedScenario&, Millis);
template std::vector<InvariantInfo> stateInvariantsOf<sentinel::Family>();

}  // namespace zablab
