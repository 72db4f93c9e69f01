#include "checker/redis_cluster/check.h"

#include <algorithm>

#include "protocol/redis_cluster/parts.h"

namespace zablab {

using redis_cluster::TimerKind;

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

}  // namespace zablab
