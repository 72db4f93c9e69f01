#include "sim/run_impl.h"
#include "sim/zab_register/binding.h"

namespace zablab {

template class ScenarioRun<zab::Family>;

}  // namespace zablab
