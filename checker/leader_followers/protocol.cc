#include "checker/family_of.h"
#include "checker/leader_followers/check.h"
#include "checker/leader_followers/fuzz_run.h"
#include "checker/leader_followers/monitors.h"
#include "checker/leader_followers/moves.h"
#include "sim/leader_followers/binding.h"

namespace zablab {

template <>
const FamilyCheck& theCheck<leader_followers::Family>() {
  static const FamilyCheckOf<leader_followers::Family, LeaderFollowersMoves> check;
  return check;
}

const Protocol& leaderFollowersProtocol() {
  static const ProtocolOf<leader_followers::Family> protocol;
  return protocol;
}

}  // namespace zablab
