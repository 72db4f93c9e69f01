#include "sim/family_of.h"
#include "sim/kafka/binding.h"

namespace zablab {

ZABLAB_FAMILY(template, kafka::Family);

}  // namespace zablab
