#include "sim/setup_impl.h"
#include "sim/zab_register/binding.h"

namespace zablab {

template Setup<zab::Family> makeSetup<zab::Family>(const LoadedScenario&);
template void checkFamily<zab::Family>(const LoadedScenario&);

}  // namespace zablab
