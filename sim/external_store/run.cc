#include "sim/external_store/binding.h"
#include "sim/family_of.h"

namespace zablab {

ZABLAB_FAMILY(template, external_store::Family);

}  // namespace zablab
