#include "checker/family_of.h"
#include "checker/leader_followers/check.h"
#include "checker/leader_followers/clients.h"
#include "checker/leader_followers/fuzz_run.h"
#include "checker/leader_followers/monitors.h"
#include "checker/leader_followers/moves.h"
#include "sim/leader_followers/binding.h"

namespace zablab {

template const FamilyCheck& theCheck<leader_followers::Family>();
const Protocol& leaderFollowersProtocol() { return theProtocol<leader_followers::Family>(); }

}  // namespace zablab
