#include "checker/protocol_impl.h"
#include "checker/redis_cluster/check.h"
#include "checker/redis_cluster/fuzz_run.h"
#include "checker/redis_cluster/invariants.h"
#include "sim/redis_cluster/binding.h"

namespace zablab {

const Protocol& redisClusterProtocol() {
  static const ProtocolOf<redis_cluster::Family> protocol;
  return protocol;
}

}  // namespace zablab
