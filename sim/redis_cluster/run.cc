#include "sim/family_of.h"
#include "sim/redis_cluster/binding.h"

namespace zablab {

ZABLAB_FAMILY(template, redis_cluster::Family);

}  // namespace zablab
