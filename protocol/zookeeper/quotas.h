// Limits on the number of nodes below a path and on the bytes of their data: a node `zookeeper_limits` below
// /zookeeper/quota and the path states them, and a node `zookeeper_stats` beside it has what there is
// (Quotas, StatsTrack, DataTree.updateQuotaStat).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "protocol/zookeeper/rules.h"
#include "protocol/zookeeper/tree.h"

namespace zablab::zookeeper {

/// A node was created: it counts in the quota above it, or begins to state what there is below a path.
void onCreatedInQuota(Tree& tree, const std::string& path);
/// What there is below the path's quota changes, if it has one.
void countInQuota(Tree& tree, std::string_view path, std::int64_t bytes, std::int64_t nodes);
/// Whether a hard limit forbids the change; a soft one never does (ZooKeeperServer.checkQuota).
bool exceedsQuota(const Tree& tree, std::string_view path, std::int64_t bytes, std::int64_t nodes,
                  QuotaLimit limit);

inline std::int64_t bytesIn(const std::optional<std::string>& data) {
  return data ? static_cast<std::int64_t>(data->size()) : 0;
}

}  // namespace zablab::zookeeper
