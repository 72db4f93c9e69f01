#include "sim/family_of.h"
#include "sim/leader_followers/binding.h"

namespace zablab {

ZABLAB_FAMILY(template, leader_followers::Family);

}  // namespace zablab
