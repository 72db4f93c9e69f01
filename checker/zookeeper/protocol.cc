#include "checker/family_of.h"
#include "checker/zookeeper/check.h"
#include "checker/zookeeper/clients.h"
#include "checker/zookeeper/fuzz_run.h"
#include "checker/zookeeper/invariants.h"
#include "checker/zookeeper/moves.h"
#include "sim/zookeeper/binding.h"

namespace zablab {

template const FamilyCheck& theCheck<zookeeper::Family>();
const Protocol& zookeeperProtocol() { return theProtocol<zookeeper::Family>(); }

}  // namespace zablab
