#include "checker/zab/moves.h"
#include "checker/zab_register/check.h"

namespace zablab {

template <>
const FamilyCheck& theCheck<zab::Family>() {
  static const FamilyCheckOf<zab::Family, zab::BroadcastMoves<zab::Family>> check;
  return check;
}

}  // namespace zablab
