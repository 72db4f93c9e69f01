#include "checker/check/check_impl.h"
#include "checker/quorum_register/check.h"
#include "sim/quorum_register/binding.h"

namespace zablab {

template void checkModelOf<quorum_register::Family>(const LoadedModel&);
template CheckResult checkOf<quorum_register::Family>(const LoadedModel&, const CheckOptions&);
template Json possibleActionsOf<quorum_register::Family>(const LoadedScenario&, Millis);
template std::vector<InvariantInfo> stateInvariantsOf<quorum_register::Family>();

}  // namespace zablab
