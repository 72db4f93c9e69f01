#include "sim/family_of.h"
#include "sim/leader_followers/binding.h"

namespace zablab {

template const AnyFamily& theFamily<leader_followers::Family>();

}  // namespace zablab
