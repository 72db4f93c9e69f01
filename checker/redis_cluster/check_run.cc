#include "checker/redis_cluster/check.h"
#include "checker/redis_cluster/moves.h"

namespace zablab {

template <>
const FamilyCheck& theCheck<redis_cluster::Family>() {
  static const FamilyCheckOf<redis_cluster::Family, RedisClusterMoves> check;
  return check;
}

}  // namespace zablab
