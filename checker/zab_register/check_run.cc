#include "checker/check/check_impl.h"
#include "checker/zab_register/check.h"
#include "sim/zab_register/binding.h"

namespace zablab {

template void checkModelOf<zab::Family>(const LoadedModel&);
template CheckResult checkOf<zab::Family>(const LoadedModel&, const CheckOptions&);
template Json possibleActionsOf<zab::Family>(const LoadedScenario&, Millis);
template std::vector<InvariantInfo> stateInvariantsOf<zab::Family>();

}  // namespace zablab
