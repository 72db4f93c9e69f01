#include "sim/external_store/binding.h"
#include "sim/family_of.h"

namespace zablab {

template const AnyFamily& theFamily<external_store::Family>();

}  // namespace zablab
