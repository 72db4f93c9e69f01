#include "sim/family_of.h"
#include "sim/quorum_register/binding.h"

namespace zablab {

template const AnyFamily& theFamily<quorum_register::Family>();

}  // namespace zablab
