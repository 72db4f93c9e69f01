#include "sim/family_of.h"
#include "sim/zookeeper/binding.h"

namespace zablab {

ZABLAB_FAMILY(template, zookeeper::Family);

}  // namespace zablab
