#include "checker/check/check_impl.h"
#include "checker/zookeeper/check.h"
#include "sim/zookeeper/binding.h"

namespace zablab {

template void checkModelOf<zookeeper::Family>(const LoadedModel&);
template CheckResult checkOf<zookeeper::Family>(const LoadedModel&, const CheckOptions&);
template Json possibleActionsOf<zookeeper::Family>(const LoadedScenario&, Millis);
template std::vector<InvariantInfo> stateInvariantsOf<zookeeper::Family>();

}  // namespace zablab
