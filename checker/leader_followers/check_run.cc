#include "checker/check/check_impl.h"
#include "checker/leader_followers/check.h"
#include "checker/leader_followers/moves.h"
#include "sim/leader_followers/binding.h"

namespace zablab {

template void checkModelOf<leader_followers::Family>(const LoadedModel&);
template CheckResult checkOf<leader_followers::Family>(const LoadedModel&, const CheckOptions&);
template Json possibleActionsOf<leader_followers::Family>(const LoadedScenario&, Millis);
template std::vector<InvariantInfo> stateInvariantsOf<leader_followers::Family>();

}  // namespace zablab
