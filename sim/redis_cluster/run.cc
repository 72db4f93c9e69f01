#include "sim/redis_cluster/binding.h"
#include "sim/run_impl.h"
#include "sim/setup_impl.h"

namespace zablab {

template class ScenarioRun<redis_cluster::Family>;
template Setup<redis_cluster::Family> makeSetup<redis_cluster::Family>(const LoadedScenario&);
template void checkFamily<redis_cluster::Family>(const LoadedScenario&);

}  // namespace zablab
