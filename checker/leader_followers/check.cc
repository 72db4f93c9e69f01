#include "checker/leader_followers/check.h"

namespace zablab {

using leader_followers::Role;
using leader_followers::TimerKind;

namespace {

constexpr unsigned leader_shift = 8;

}  // namespace

using Check = CheckOf<leader_followers::Family>;

std::uint32_t Check::view(const leader_followers::Config& config, const leader_followers::Rules&,
                          const leader_followers::Node& node) {
  const auto withLeader = [&](std::uint32_t rest, const std::optional<ServerId>& leader) {
    for (std::size_t i = 0; leader && i < config.members.size(); ++i) {
      if (config.members[i] == *leader) rest |= static_cast<std::uint32_t>(i + 1) << leader_shift;
    }
    return rest;
  };
  if (config.client) {
    if (!node.client) return settled;
    return withLeader(node.client->request ? settled : settled | takes_writes | idle, node.client->server);
  }
  std::uint32_t view = node.role == Role::LOOKING_FOR_LEADER ? 0 : settled;
  if (node.role == Role::LEADING) view |= leads | takes_writes;
  return withLeader(view, node.leader);
}

int Check::peerOf(const Cluster<F>& cluster, std::uint32_t view, const leader_followers::Timer& timer) {
  if (timer.key != no_server) return cluster.indexOf(timer.key);
  return timer.kind == TimerKind::election ? leaderOf(cluster, view) : -1;
}

int Check::leaderOf(const Cluster<F>& cluster, std::uint32_t view) {
  const std::uint32_t leader = view >> leader_shift;
  return leader == 0 ? -1 : cluster.indexOf(cluster.configs[0].members[leader - 1]);
}

Fires Check::firesByDefault(TimerKind kind) {
  switch (kind) {
    case TimerKind::election:  // elections are counted
    case TimerKind::heartbeat:
    case TimerKind::led_over:
    case TimerKind::client_retry: return Fires::free;
    case TimerKind::silent: return Fires::peer_unreachable;
    case TimerKind::answer_limit: return Fires::quiescent;
  }
  return Fires::never;
}

}  // namespace zablab
