#include "sim/family_of.h"
#include "sim/redis_cluster/binding.h"

namespace zablab {

template const AnyFamily& theFamily<redis_cluster::Family>();

}  // namespace zablab
