#include "checker/zookeeper/check.h"
#include "checker/zookeeper/moves.h"

namespace zablab {

template <>
const FamilyCheck& theCheck<zookeeper::Family>() {
  static const FamilyCheckOf<zookeeper::Family, ZookeeperMoves> check;
  return check;
}

}  // namespace zablab
