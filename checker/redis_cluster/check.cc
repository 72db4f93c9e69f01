#include "checker/redis_cluster/check.h"

#include <algorithm>

#include "protocol/redis_cluster/parts.h"

namespace zablab {

using redis_cluster::TimerKind;

namespace {

std::int64_t offsetOf(const redis_cluster::Node& node) {
  return static_cast<std::int64_t>(node.history.size());
}

}  // namespace

using RedisCheck = CheckOf<redis_cluster::Family>;

std::uint32_t RedisCheck::view(const redis_cluster::Config& config, const redis_cluster::Rules&,
                               const redis_cluster::Node& node) {
  if (config.client) return settled | (node.pending ? 0 : idle);
  const auto own = node.conf.nodes.find(node.self);
  const bool master = own != node.conf.nodes.end() && own->second.master == no_server;
  const bool votes_too = master && std::any_of(node.conf.slots.begin(), node.conf.slots.end(),
                                               [&](const auto& slot) { return slot.second == node.self; });
  const auto stage = node.attempt.stage;
  const bool asks = stage == redis_cluster::Stage::asked || stage == redis_cluster::Stage::expired;
  return idle | (master && node.serves ? serves : 0) | (votes_too ? votes : 0) | (asks ? 0 : settled);
}

Fires RedisCheck::firesByDefault(TimerKind kind) {
  switch (kind) {
    case TimerKind::silent: return Fires::peer_unreachable;
    case TimerKind::give_up:
    case TimerKind::rejoin:
    case TimerKind::relink: return Fires::quiescent;
    case TimerKind::election:
    case TimerKind::auth_timeout:
    case TimerKind::auth_retry:
    case TimerKind::report_expires:
    case TimerKind::fail_undo:
    case TimerKind::vote_gap:
    case TimerKind::manual_end:
    case TimerKind::acknowledged: return Fires::free;
    case TimerKind::ping:  // repeated for ever
    case TimerKind::repl_ping: return Fires::never;
  }
  return Fires::never;
}

std::vector<Millis> RedisCheck::thresholds(const redis_cluster::Config& config, redis_cluster::MarkKey) {
  const redis_cluster::Rules strictest{.factor_zero = redis_cluster::FactorZero::strictest};
  return {*redis_cluster::tooOldFrom(config, strictest)};
}

RedisCheck::CheckOf(const Cluster<F>& cluster) : BookMonitors(cluster, &redis_cluster::monitorsWith) {}

std::pair<std::vector<RedisCheck::OwnMemory>, RedisCheck::SharedMemory> RedisCheck::memoriesOf(
    const WorldValue<F>& value) {
  redis_cluster::Ledger ledger(cluster_);
  std::vector<OwnMemory> owns;
  for (std::size_t i = 0; i < value.servers.size(); ++i) {
    const int server = static_cast<int>(i);
    ledger.begin(server, value.disks[i].image);
    OwnMemory& own = ledger.own(server);
    if (value.servers[i].up) {
      for (const auto& [id, seen] : value.servers[i].node.seen) {
        if (seen.pfail) own.suspected.push_back(id);
        if (seen.fail) own.failed.push_back(id);
      }
    }
    owns.push_back(own);
  }
  for (const auto& server : value.servers) {
    const redis_cluster::Node& master = server.node;
    if (!server.up || master.manual_replica == no_server) continue;
    ledger.shared().handovers.push_back({master.manual_replica, master.self, offsetOf(master), {}});
  }
  for (const auto& server : value.servers) {
    const redis_cluster::Node& replica = server.node;
    if (!server.up || !replica.manual || !replica.manual->started) continue;
    for (redis_cluster::Handover& one : ledger.shared().handovers) {
      if (one.replica == replica.self) one.arrived = offsetOf(replica);
    }
  }
  return {std::move(owns), ledger.shared()};
}

}  // namespace zablab
