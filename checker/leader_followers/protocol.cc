#include "checker/leader_followers/check.h"
#include "checker/leader_followers/fuzz_run.h"
#include "checker/leader_followers/invariants.h"
#include "checker/protocol_impl.h"
#include "sim/leader_followers/binding.h"

namespace zablab {

const Protocol& leaderFollowersProtocol() {
  static const ProtocolOf<leader_followers::Family> protocol;
  return protocol;
}

}  // namespace zablab
