#include "checker/protocol_impl.h"
#include "checker/zookeeper/check.h"
#include "checker/zookeeper/fuzz_run.h"
#include "checker/zookeeper/invariants.h"
#include "sim/zookeeper/binding.h"

namespace zablab {

const Protocol& zookeeperProtocol() {
  static const ProtocolOf<zookeeper::Family> protocol;
  return protocol;
}

}  // namespace zablab
