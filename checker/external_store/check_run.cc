#include "checker/check/check_impl.h"
#include "checker/external_store/check.h"
#include "sim/external_store/binding.h"

namespace zablab {

template void checkModelOf<external_store::Family>(const LoadedModel&);
template CheckResult checkOf<external_store::Family>(const LoadedModel&, const CheckOptions&);
template Json possibleActionsOf<external_store::Family>(const LoadedScenario&, Millis);
template std::vector<InvariantInfo> stateInvariantsOf<external_store::Family>();

}  // namespace zablab
