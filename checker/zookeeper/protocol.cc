#include "checker/family_of.h"
#include "checker/zookeeper/check.h"
#include "checker/zookeeper/fuzz_run.h"
#include "checker/zookeeper/invariants.h"
#include "checker/zookeeper/moves.h"
#include "sim/zookeeper/binding.h"

namespace zablab {

template <>
const FamilyCheck& theCheck<zookeeper::Family>() {
  static const FamilyCheckOf<zookeeper::Family, ZookeeperMoves> check;
  return check;
}

const Protocol& zookeeperProtocol() {
  static const ProtocolOf<zookeeper::Family> protocol;
  return protocol;
}

}  // namespace zablab
