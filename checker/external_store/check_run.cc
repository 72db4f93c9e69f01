#include "checker/external_store/check.h"

namespace zablab {

template <>
const FamilyCheck& theCheck<external_store::Family>() {
  static const FamilyCheckOf<external_store::Family> check;
  return check;
}

}  // namespace zablab
