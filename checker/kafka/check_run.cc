#include "checker/check/check_impl.h"
#include "checker/kafka/check.h"
#include "checker/kafka/moves.h"
#include "sim/kafka/binding.h"

namespace zablab {

template void checkModelOf<kafka::Family>(const LoadedModel&);
template CheckResult checkOf<kafka::Family>(const LoadedModel&, const CheckOptions&);
template Json possibleActionsOf<kafka::Family>(const LoadedScenario&, Millis);
template std::vector<InvariantInfo> stateInvariantsOf<kafka::Family>();

}  // namespace zablab
