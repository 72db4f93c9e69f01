#include "sim/family_of.h"
#include "sim/sentinel/binding.h"

namespace zablab {

template const AnyFamily& theFamily<sentinel::Family>();

}  // namespace zablab
