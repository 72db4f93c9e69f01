#include "sim/family_of.h"
#include "sim/kafka/binding.h"

namespace zablab {

template const AnyFamily& theFamily<kafka::Family>();

}  // namespace zablab
