#include "checker/quorum_register/check.h"

namespace zablab {

template <>
const FamilyCheck& theCheck<quorum_register::Family>() {
  static const FamilyCheckOf<quorum_register::Family> check;
  return check;
}

}  // namespace zablab
