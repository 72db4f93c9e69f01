// Which servers are a quorum, and who votes, by the configuration alone: the invariants' own reckoning.
#pragma once

#include <vector>

#include "protocol/zab/config.h"

namespace zablab::zab {

/// More than half of the voters; where groups are configured, more than half of the weight of each of more
/// than half of the groups that have any.
bool areMajority(const Config& config, const std::vector<ServerId>& servers);

/// Where groups are configured, a server without weight is not elected.
bool hasWeight(const Config& config, ServerId server);

bool votesIn(const Config& config, ServerId server);

}  // namespace zablab::zab
