#include "sim/external_store/binding.h"
#include "sim/setup_impl.h"

namespace zablab {

template Setup<external_store::Family> makeSetup<external_store::Family>(const LoadedScenario&);
template void checkFamily<external_store::Family>(const LoadedScenario&);

}  // namespace zablab
