#include "checker/family_of.h"
#include "checker/redis_cluster/check.h"
#include "checker/redis_cluster/fuzz_run.h"
#include "checker/redis_cluster/monitors.h"
#include "checker/redis_cluster/moves.h"
#include "sim/redis_cluster/binding.h"

namespace zablab {

template <>
const FamilyCheck& theCheck<redis_cluster::Family>() {
  static const FamilyCheckOf<redis_cluster::Family, RedisClusterMoves> check;
  return check;
}

const Protocol& redisClusterProtocol() {
  static const ProtocolOf<redis_cluster::Family> protocol;
  return protocol;
}

}  // namespace zablab
