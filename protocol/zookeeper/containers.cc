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

void armTtl(const Context& ctx, Zxid czxid, Millis ttl) {
  ctx.node.expiring.insert(czxid);
  ctx.setTimerWithin(TimerKind::node_ttl, ttl, ttl + interval(ctx), czxid.value);
}

void proposeDeletion(const Context& ctx, std::string path) {
  zab::propose<ZooKeeper>(ctx, {.op = {{.code = OpCode::deleteContainer, .path = std::move(path)}}});
}

}  // namespace

void trackNodes(const Context& ctx) {
  for (const auto& [path, node] : ctx.node.service.nodes) {
    if (node.kind == NodeKind::ttl) armTtl(ctx, node.czxid, node.ttl);
  }
  armContainerCheck(ctx);
}

void forgetNodes(const Context& ctx) {
  for (const Zxid czxid : std::exchange(ctx.node.expiring, {}))
    ctx.cancelTimer(TimerKind::node_ttl, czxid.value);
  if (std::exchange(ctx.node.container_check, false)) ctx.cancelTimer(TimerKind::container_check, no_session);
}

void noteExpiring(const Context& ctx, const SubResult& result) {
  if (!result.stat) return;
  const auto& nodes = ctx.node.service.nodes;
  const auto at = std::find_if(nodes.begin(), nodes.end(), [&](const auto& node) {
    return node.second.kind == NodeKind::ttl && node.second.czxid == result.stat->czxid;
  });
  if (at != nodes.end()) armTtl(ctx, at->second.czxid, at->second.ttl);
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

void onTtlOver(const Context& ctx, Zxid czxid) {
  const auto& nodes = ctx.node.service.nodes;
  const auto at = std::find_if(nodes.begin(), nodes.end(), [&](const auto& node) {
    return node.second.kind == NodeKind::ttl && node.second.czxid == czxid;
  });
  if (at == nodes.end()) {
    ctx.node.expiring.erase(czxid);
  } else if (at->second.children.names.empty()) {
    ctx.node.expiring.erase(czxid);
    proposeDeletion(ctx, at->first);
  } else {
    ctx.setTimer(TimerKind::node_ttl, interval(ctx), czxid.value);
  }
}

}  // namespace zablab::zookeeper
