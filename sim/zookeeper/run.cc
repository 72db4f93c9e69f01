#include "sim/family_of.h"
#include "sim/zookeeper/binding.h"

namespace zablab {

template const AnyFamily& theFamily<zookeeper::Family>();

}  // namespace zablab
