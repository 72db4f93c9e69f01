// What the running nodes of a cluster have to agree on once none of them can learn anything new.
#pragma once

#include <vector>

#include "protocol/redis_cluster/family.h"

namespace zablab::redis_cluster {

struct Running {
  const Config* config;
  const Node* node;
};

/// A slot that one of these nodes has itself belongs to another one in the view of one of them.
bool ownersDiffer(const std::vector<Running>& nodes);
/// Two of these nodes are masters with slots, each in its own view, and have the same configuration epoch.
bool configEpochsCollide(const std::vector<Running>& nodes);
/// A PING of one of these nodes would change what another one's nodes.conf contains, or be answered by more
/// than a PONG.
bool pingsTellMore(const Rules& rules, const std::vector<Running>& nodes);

}  // namespace zablab::redis_cluster
