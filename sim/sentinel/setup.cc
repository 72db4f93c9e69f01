#include "sim/sentinel/binding.h"
#include "sim/setup_impl.h"

namespace zablab {

template Setup<sentinel::Family> makeSetup<sentinel::Family>(const LoadedScenario&);
template void checkFamily<sentinel::Family>(const LoadedScenario&);

}  // namespace zablab
