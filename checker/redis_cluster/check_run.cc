#include "checker/check/check_impl.h"
#include "checker/redis_cluster/check.h"
#include "checker/redis_cluster/moves.h"
#include "sim/redis_cluster/binding.h"

namespace zablab {

template void checkModelOf<redis_cluster::Family>(const LoadedModel&);
template CheckResult checkOf<redis_cluster::Family>(const LoadedModel&, const CheckOptions&);
template Json possibleActionsOf<redis_cluster::Family>(const LoadedScenario&, Millis);
template std::vector<InvariantInfo> stateInvariantsOf<redis_cluster::Family>();

}  // namespace zablab
