#include "checker/family_of.h"
#include "checker/zab/moves.h"
#include "checker/zab_register/check.h"
#include "checker/zab_register/fuzz_run.h"
#include "checker/zab_register/invariants.h"
#include "sim/zab_register/binding.h"

namespace zablab {

template <>
const FamilyCheck& theCheck<zab::Family>() {
  static const FamilyCheckOf<zab::Family, zab::BroadcastMoves<zab::Family>> check;
  return check;
}

const Protocol& zabProtocol() {
  static const ProtocolOf<zab::Family> protocol;
  return protocol;
}

}  // namespace zablab
