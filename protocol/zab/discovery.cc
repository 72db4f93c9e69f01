#include "protocol/zab/discovery.h"

#include "protocol/zab/quorum.h"

namespace zablab::zab {

bool keepsTail(const Config& config, const BroadcastRules& rules, const std::vector<ServerId>& holders,
               const std::vector<ServerId>& unheard) {
  std::vector<ServerId> counted = holders;
  if (rules.leader_tail == LeaderTail::possible_majority)
    counted.insert(counted.end(), unheard.begin(), unheard.end());
  return rules.leader_tail == LeaderTail::whole || isQuorum(config, rules, counted);
}

}  // namespace zablab::zab
