#include "checker/family_of.h"
#include "checker/redis_cluster/check.h"
#include "checker/redis_cluster/clients.h"
#include "checker/redis_cluster/fuzz_run.h"
#include "checker/redis_cluster/monitors.h"
#include "checker/redis_cluster/moves.h"
#include "sim/redis_cluster/binding.h"

namespace zablab {

template const FamilyCheck& theCheck<redis_cluster::Family>();
const Protocol& redisClusterProtocol() { return theProtocol<redis_cluster::Family>(); }

}  // namespace zablab
