#include "sim/kafka/binding.h"
#include "sim/setup_impl.h"

namespace zablab {

template Setup<kafka::Family> makeSetup<kafka::Family>(const LoadedScenario&);
template void checkFamily<kafka::Family>(const LoadedScenario&);

}  // namespace zablab
