#include "sim/leader_followers/binding.h"
#include "sim/setup_impl.h"

namespace zablab {

template Setup<leader_followers::Family> makeSetup<leader_followers::Family>(const LoadedScenario&);
template void checkFamily<leader_followers::Family>(const LoadedScenario&);

}  // namespace zablab
