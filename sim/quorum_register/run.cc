#include "sim/quorum_register/binding.h"
#include "sim/run_impl.h"
#include "sim/setup_impl.h"

namespace zablab {

template class ScenarioRun<quorum_register::Family>;
template Setup<quorum_register::Family> makeSetup<quorum_register::Family>(const LoadedScenario&);
template void checkFamily<quorum_register::Family>(const LoadedScenario&);

}  // namespace zablab
