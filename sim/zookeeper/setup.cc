#include "sim/setup_impl.h"
#include "sim/zookeeper/binding.h"

namespace zablab {

template Setup<zookeeper::Family> makeSetup<zookeeper::Family>(const LoadedScenario&);
template void checkFamily<zookeeper::Family>(const LoadedScenario&);

}  // namespace zablab
