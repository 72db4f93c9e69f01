#include "sim/run_impl.h"
#include "sim/zab/binding.h"

namespace zablab {

template class ScenarioRun<zab::Family>;

}  // namespace zablab
