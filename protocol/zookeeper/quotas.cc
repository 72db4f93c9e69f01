#include "protocol/zookeeper/quotas.h"

#include <algorithm>
#include <charconv>
#include <optional>
#include <utility>

#include "protocol/zookeeper/paths.h"

namespace zablab::zookeeper {
namespace {

constexpr std::string_view quotas = "/zookeeper/quota";
constexpr std::string_view limits_name = "zookeeper_limits", stats_name = "zookeeper_stats";

std::string nodeOf(std::string_view prefix, std::string_view name) {
  return std::string(quotas) + std::string(prefix) + "/" + std::string(name);
}

/// The longest beginning of the path that has limits; none for the root and ZooKeeper's own nodes.
std::optional<std::string_view> quotaAbove(const Tree& tree, std::string_view path) {
  const ZNode* const any = tree.find(quotas);
  if (any == nullptr || any->children.names.empty()) return std::nullopt;
  for (std::string_view prefix = path; prefix.size() > 1; prefix = parentOf(prefix)) {
    if (tree.find(nodeOf(prefix, limits_name)) == nullptr) continue;
    return prefix == "/zookeeper" ? std::nullopt : std::optional(prefix);
  }
  return std::nullopt;
}

/// The number of a key, as in `count=2,bytes=-1=;byteHardLimit=10`; -1 if it is not there.
std::int64_t numberOf(std::string_view text, std::string_view key) {
  while (!text.empty()) {
    const std::size_t end = std::min(text.find_first_of(",;"), text.size());
    const std::string_view pair = text.substr(0, end);
    if (pair.starts_with(key) && pair.substr(key.size()).starts_with('=')) {
      std::int64_t number = -1;
      std::from_chars(pair.data() + key.size() + 1, pair.data() + pair.size(), number);
      return number;
    }
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return -1;
}

std::string statsOf(std::int64_t nodes, std::int64_t bytes) {
  return "count=" + std::to_string(nodes) + ",bytes=" + std::to_string(bytes);
}

/// Wraps round, as Java's numbers do.
std::int64_t sum(std::int64_t a, std::int64_t b) {
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(a) + static_cast<std::uint64_t>(b));
}

/// What the node and all below it have; nothing if there is no such node.
std::string countedBelow(const Tree& tree, const std::string& path) {
  const ZNode* const node = tree.find(path);
  std::int64_t nodes = node == nullptr ? 0 : 1, bytes = node == nullptr ? 0 : bytesIn(node->data);
  const std::string below = path + "/";
  for (auto at = tree.nodes.lower_bound(below); at != tree.nodes.end() && at->first.starts_with(below);
       ++at) {
    ++nodes;
    bytes += bytesIn(at->second.data);
  }
  return statsOf(nodes, bytes);
}

}  // namespace

void onCreatedInQuota(Tree& tree, const std::string& path) {
  const std::string_view parent = parentOf(path);
  if (parent.starts_with(quotas) && parent.size() > quotas.size() && nameOf(path) == stats_name)
    tree.find(path)->data = countedBelow(tree, std::string(parent.substr(quotas.size())));
  countInQuota(tree, path, bytesIn(tree.find(path)->data), 1);
}

void countInQuota(Tree& tree, std::string_view path, std::int64_t bytes, std::int64_t nodes) {
  const auto prefix = quotaAbove(tree, path);
  ZNode* const stats = prefix ? tree.find(nodeOf(*prefix, stats_name)) : nullptr;
  if (stats == nullptr) return;
  const std::string before = stats->data.value_or("");
  stats->data = statsOf(sum(numberOf(before, "count"), nodes), sum(numberOf(before, "bytes"), bytes));
}

bool exceedsQuota(const Tree& tree, std::string_view path, std::int64_t bytes, std::int64_t nodes,
                  QuotaLimit at) {
  const auto prefix = quotaAbove(tree, path);
  const ZNode* const limits = prefix ? tree.find(nodeOf(*prefix, limits_name)) : nullptr;
  const ZNode* const stats = prefix ? tree.find(nodeOf(*prefix, stats_name)) : nullptr;
  if (limits == nullptr || stats == nullptr) return false;
  const std::string limit = limits->data.value_or(""), there = stats->data.value_or("");
  const auto exceeds = [&](std::string_view hard_limit, std::string_view what, std::int64_t more) {
    const std::int64_t most = numberOf(limit, hard_limit);
    if (more == 0 || most < 0) return false;
    const std::int64_t then = sum(numberOf(there, what), more);
    return at == QuotaLimit::exceeded ? then > most : then >= most;
  };
  return exceeds("countHardLimit", "count", nodes) || exceeds("byteHardLimit", "bytes", bytes);
}

}  // namespace zablab::zookeeper
