#include "sim/run_impl.h"
#include "sim/zookeeper/binding.h"

namespace zablab {

template class ScenarioRun<zookeeper::Family>;

}  // namespace zablab
