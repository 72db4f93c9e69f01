#include "sim/external_store/binding.h"
#include "sim/run_impl.h"

namespace zablab {

template class ScenarioRun<external_store::Family>;

}  // namespace zablab
