// Who must agree. Majority of the voters, or, where groups are configured, weighted majorities of a majority
// of the groups (QuorumMaj, QuorumHierarchical).
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "protocol/zab/config.h"
#include "protocol/zab/rules.h"

namespace zablab::zab {

/// True when the servers in `agree` (each named once) are a quorum of `config`'s voters.
bool isQuorum(const Config& config, const BroadcastRules& rules, std::span<const ServerId> agree);

/// How many servers a majority takes, or, with groups, how many groups.
std::int64_t quorumSize(const Config& config, const BroadcastRules& rules);

/// The weight with which `id` is elected: 1 under majority quorums, its own under hierarchical ones.
std::int64_t weightOf(const Config& config, ServerId id);

}  // namespace zablab::zab
