#include "sim/kafka/binding.h"
#include "sim/run_impl.h"

namespace zablab {

template class ScenarioRun<kafka::Family>;

}  // namespace zablab
