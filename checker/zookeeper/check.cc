#include "checker/zookeeper/check.h"

#include <string>

#include "checker/zab/check_impl.h"
#include "checker/zookeeper/invariants.h"

namespace zablab {

template class zab::BroadcastCheck<zookeeper::Family>;

using Check = CheckOf<zookeeper::Family>;
using zookeeper::Instruction, zookeeper::OpCode, zookeeper::Request;

std::uint32_t Check::view(const zookeeper::NodeConfig& config, const zookeeper::Rules& rules,
                          const zookeeper::Node& node) {
  if (!config.client) return viewOfServer(config, rules, node);
  if (!node.client || !node.client->server) return settled;
  return withLeader(
      (node.client->waiting.empty() ? settled | takes_writes | idle : settled) |
          (zookeeper::Progress::waits(node) || zookeeper::OneBeliever::believes(node) ? contends : 0),
      config, node.client->server);
}

Fires Check::firesByDefault(zookeeper::V::TimerKind kind) {
  if (const auto below = kind.below()) return BroadcastCheck::firesByDefault(*below);
  switch (*kind.above()) {
    case zookeeper::TimerKind::session_expiry:
    case zookeeper::TimerKind::local_expiry: return Fires::budgeted;
    case zookeeper::TimerKind::reconnect:
    case zookeeper::TimerKind::read_only: return Fires::free;
    case zookeeper::TimerKind::server_limit: return Fires::peer_unreachable;
    case zookeeper::TimerKind::program: return Fires::budgeted;
    // They change nothing but other timers, or a node that a model does not have.
    case zookeeper::TimerKind::client_ping:
    case zookeeper::TimerKind::container_check:
    case zookeeper::TimerKind::node_ttl:
    // A client whose session expires by a server sees as much as one that ends it by its own clock.
    case zookeeper::TimerKind::session_limit:
    // A client that stays at a read-only server until it is closed sees as much.
    case zookeeper::TimerKind::writable_server: return Fires::never;
  }
  return Fires::never;
}

int Check::peerOf(const Cluster<zookeeper::Family>& cluster, std::uint32_t view,
                  const zookeeper::V::Timer& timer) {
  if (timer.kind.above() == zookeeper::TimerKind::session_expiry)
    return cluster.indexOf(*timer.key.own % zookeeper::session_ids_apart);
  return BroadcastCheck::peerOf(cluster, view, timer);
}

Request Check::write(std::uint32_t n) {
  Request request{.instruction = Instruction::operate, .number = n};
  request.op.code = OpCode::setData;
  request.op.path = "/";
  request.op.data = std::to_string(n);
  return request;
}

Request Check::read(std::uint32_t n) {
  Request request{.instruction = Instruction::operate, .number = n};
  request.op.code = OpCode::getData;
  request.op.path = "/";
  return request;
}

Request Check::turn(ServerId server) { return {.instruction = Instruction::connect, .server = server}; }

bool Check::connected(const zookeeper::Node& node) {
  return node.client && node.client->state == zookeeper::ClientState::CONNECTED;
}

}  // namespace zablab
