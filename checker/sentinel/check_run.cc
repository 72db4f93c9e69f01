#include "checker/sentinel/check.h"
#include "checker/sentinel/moves.h"

namespace zablab {

template <>
const FamilyCheck& theCheck<sentinel::Family>() {
  static const FamilyCheckOf<sentinel::Family, SentinelMoves> check;
  return check;
}

}  // namespace zablab
