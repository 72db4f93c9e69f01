#include "sim/leader_followers/binding.h"
#include "sim/run_impl.h"

namespace zablab {

template class ScenarioRun<leader_followers::Family>;

}  // namespace zablab
