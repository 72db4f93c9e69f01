#include "protocol/zookeeper/containers.h"

#include <algorithm>
#include <utility>

#include "protocol/zab/broadcast.h"

namespace zablab::zookeeper {
namespace {

Millis interval(const Context& ctx) {
  // The servers of this family are configured with NodeConfig (Family::step).
  return static_cast<const NodeConfig&>(ctx.config).container_check_ms;
}

bool isEmptied(const ZNode& node) {
  return node.kind == NodeKind::container && node.creates > 0 && node.children.names.empty();
}

/// The path whose timer has this key; the end if there is none.
auto timedBy(std::map<std::string, std::int64_t>& expiring, std::int64_t key) {
  return std::find_if(expiring.begin(), expiring.end(), [key](const auto& one) { return one.second == key; });
}

void armTtl(const Context& ctx, const std::string& path, const ZNode& node) {
  auto& expiring = ctx.node.expiring;
  auto at = expiring.find(path);
  if (at == expiring.end()) {
    std::int64_t key = node.czxid.value;
    while (timedBy(expiring, key) != expiring.end()) ++key;  // others were created with it
    at = expiring.emplace(path, key).first;
  }
  ctx.setTimerWithin(TimerKind::node_ttl, node.ttl, node.ttl + interval(ctx), at->second);
}

void proposeDeletion(const Context& ctx, std::string path) {
  if (ctx.rules.unused_nodes == UnusedNodes::kept) return;
  zab::propose<ZooKeeper>(ctx, {.op = {{.code = OpCode::deleteContainer, .path = std::move(path)}}});
}

}  // namespace

void trackNodes(const Context& ctx) {
  for (const auto& [path, node] : ctx.node.service.nodes) {
    if (node.kind == NodeKind::ttl) armTtl(ctx, path, node);
  }
  armContainerCheck(ctx);
}

void forgetNodes(const Context& ctx) {
  for (const auto& [path, key] : std::exchange(ctx.node.expiring, {}))
    ctx.cancelTimer(TimerKind::node_ttl, key);
  if (std::exchange(ctx.node.container_check, false)) ctx.cancelTimer(TimerKind::container_check, no_session);
}

void noteExpiring(const Context& ctx, const Change& change) {
  if (change.kind != ChangeKind::create && change.kind != ChangeKind::set_data) return;
  const ZNode* const node = ctx.node.service.find(change.path);
  if (node != nullptr && node->kind == NodeKind::ttl) armTtl(ctx, change.path, *node);
}

void armContainerCheck(const Context& ctx) {
  const auto& nodes = ctx.node.service.nodes;
  if (ctx.node.container_check ||
      std::none_of(nodes.begin(), nodes.end(), [](const auto& node) { return isEmptied(node.second); }))
    return;
  ctx.node.container_check = true;
  ctx.setTimer(TimerKind::container_check, interval(ctx), no_session);
}

void onContainerCheck(const Context& ctx) {
  ctx.node.container_check = false;
  std::vector<std::string> emptied;
  for (const auto& [path, node] : ctx.node.service.nodes) {
    if (isEmptied(node)) emptied.push_back(path);
  }
  for (std::string& path : emptied) {
    // A proposal for which there is no zxid ends the role.
    if (ctx.node.role == zab::Role::LEADING) proposeDeletion(ctx, std::move(path));
  }
}

void onTtlOver(const Context& ctx, std::int64_t key) {
  auto& expiring = ctx.node.expiring;
  const auto at = timedBy(expiring, key);
  if (at == expiring.end()) return;
  const std::string path = at->first;
  const ZNode* const node = ctx.node.service.find(path);
  if (node == nullptr || node->kind != NodeKind::ttl) {
    expiring.erase(at);
    return;
  }
  // What is outstanding may keep it: it is looked at until it is gone.
  ctx.setTimer(TimerKind::node_ttl, interval(ctx), key);
  if (node->children.names.empty()) proposeDeletion(ctx, path);
}

}  // namespace zablab::zookeeper
