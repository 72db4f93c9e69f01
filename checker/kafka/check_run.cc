#include "checker/kafka/check.h"
#include "checker/kafka/moves.h"

namespace zablab {

template <>
const FamilyCheck& theCheck<kafka::Family>() {
  static const FamilyCheckOf<kafka::Family, KafkaMoves> check;
  return check;
}

}  // namespace zablab
