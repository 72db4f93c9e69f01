#include "checker/leader_followers/check.h"
#include "checker/leader_followers/moves.h"

namespace zablab {

template <>
const FamilyCheck& theCheck<leader_followers::Family>() {
  static const FamilyCheckOf<leader_followers::Family, LeaderFollowersMoves> check;
  return check;
}

}  // namespace zablab
