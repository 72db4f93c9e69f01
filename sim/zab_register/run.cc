#include "sim/family_of.h"
#include "sim/zab_register/binding.h"

namespace zablab {

ZABLAB_FAMILY(template, zab::Family);

}  // namespace zablab
