#include "sim/run_impl.h"
#include "sim/sentinel/binding.h"

namespace zablab {

template class ScenarioRun<sentinel::Family>;

}  // namespace zablab
