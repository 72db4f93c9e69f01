// Which servers must agree: a majority of the voters or, where groups are configured, weighted majorities of
// a majority of the groups (QuorumMaj, QuorumHierarchical).
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "protocol/zab/config.h"
#include "protocol/zab/rules.h"

namespace zablab::zab {

/// True when the servers in `agree` (each named once) are a quorum of `config`'s voters.
bool isQuorum(const Config& config, const BroadcastRules& rules, std::span<const ServerId> agree);

/// The number of servers in a majority or, with groups, the number of groups.
std::int64_t quorumSize(const Config& config, const BroadcastRules& rules);

/// Whether votes can name `id`: observers are not elected.
bool isElectable(const Config& config, const BroadcastRules& rules, ServerId id);

/// The weight with which `id` is elected: 1 under majority quorums, its own under hierarchical ones.
std::int64_t weightOf(const Config& config, ServerId id);

}  // namespace zablab::zab
