#include "sim/family_of.h"
#include "sim/sentinel/binding.h"

namespace zablab {

ZABLAB_FAMILY(template, sentinel::Family);

}  // namespace zablab
