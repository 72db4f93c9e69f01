#include "checker/family_of.h"
#include "checker/sentinel/check.h"
#include "checker/sentinel/fuzz_run.h"
#include "checker/sentinel/monitors.h"
#include "checker/sentinel/moves.h"
#include "sim/sentinel/binding.h"

namespace zablab {

template <>
const FamilyCheck& theCheck<sentinel::Family>() {
  static const FamilyCheckOf<sentinel::Family, SentinelMoves> check;
  return check;
}

const Protocol& sentinelProtocol() {
  static const ProtocolOf<sentinel::Family> protocol;
  return protocol;
}

}  // namespace zablab
