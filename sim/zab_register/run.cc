#include "sim/family_of.h"
#include "sim/zab_register/binding.h"

namespace zablab {

template const AnyFamily& theFamily<zab::Family>();

}  // namespace zablab
