#pragma once

#include "checker/zab/check.h"

#include <utility>

#include "checker/zab/ledger_impl.h"
#include "checker/zab/monitors.h"
#include "protocol/zab/election.h"
#include "protocol/zab/quorum.h"

namespace zablab::zab {

template <class F>
std::uint32_t BroadcastCheck<F>::withLeader(std::uint32_t view, const Config& config,
                                            std::optional<ServerId> leader) {
  for (std::size_t i = 0; leader && i < config.members.size(); ++i) {
    if (config.members[i].id == *leader) view |= static_cast<std::uint32_t>(i + 1) << leader_shift;
  }
  return view;
}

template <class F>
std::uint32_t BroadcastCheck<F>::viewOfServer(const Config& config, const typename F::Rules& rules,
                                              const typename F::Node& node) {
  std::uint32_t view = node.role == Role::LOOKING ? 0 : settled;
  if (node.role == Role::LEADING) view |= leads;
  if (node.delayed) view |= delayed;
  if (!config.isVoter(node.self)) view |= observes;
  if (node.role == Role::LEADING && node.serves() && !node.log_failed) {
    view |= takes_writes;
    std::vector<ServerId> heard{node.self};
    for (const auto& [id, learner] : node.learners) heard.push_back(id);
    if (!isQuorum(config, rules, heard)) view |= lost_quorum;
  }
  return withLeader(view, config, node.leader);
}

template <class F>
int BroadcastCheck<F>::peerOf(const Cluster<F>& cluster, std::uint32_t view,
                              const typename F::Vocabulary::Timer& timer) {
  const ServerId peer = BasicTimers<typename F::Service>::peerOf(timer.key);
  if (peer != no_server) return cluster.indexOf(peer);
  return timer.kind == TimerKind::leader_limit ? leaderOf(cluster, view) : -1;
}

template <class F>
int BroadcastCheck<F>::leaderOf(const Cluster<F>& cluster, std::uint32_t view) {
  const std::uint32_t leader = view >> leader_shift;
  return leader == 0 ? -1 : cluster.indexOf(cluster.configs[0].members[leader - 1].id);
}

template <class F>
bool BroadcastCheck<F>::beats(const Cluster<F>& cluster, const typename F::Message& a,
                              const typename F::Message& b) {
  const BroadcastRules& rules = cluster.rules;
  return zab::beats(rules,
                    compare(cluster.configs[0], rules, get<Notification>(a).vote, get<Notification>(b).vote));
}

template <class F>
bool BroadcastCheck<F>::isQuorumTo(const Cluster<F>& cluster, int server, std::uint64_t set) {
  return isQuorum(cluster.configs[static_cast<std::size_t>(server)], cluster.rules,
                  membersOf(set, cluster.ids));
}

template <class F>
Fires BroadcastCheck<F>::firesByDefault(TimerKind kind) {
  switch (kind) {
    case TimerKind::finalize_wait:
    case TimerKind::observer_delay:
    case TimerKind::connect_retry:
    case TimerKind::newleader:
    case TimerKind::snapshot: return Fires::free;
    case TimerKind::notification_wait:
    case TimerKind::init_limit: return Fires::quiescent;
    case TimerKind::leader_limit:
    case TimerKind::learner_limit:
    case TimerKind::ack_limit: return Fires::peer_unreachable;
    case TimerKind::half_tick: return Fires::lost_quorum;
  }
  return Fires::never;
}

template <class F>
auto BroadcastCheck<F>::memoriesOf(const WorldValue<F>& value)
    -> std::pair<std::vector<OwnMemory>, SharedMemory> {
  BasicLedger<F> ledger(this->cluster_);
  const auto clients_from = static_cast<std::size_t>(this->cluster_.serverCount());
  for (std::size_t i = 0; i < value.servers.size(); ++i) {
    const int node = static_cast<int>(i);
    const Server<F>& server = value.servers[i];
    const auto& disk = value.disks[i].image;
    if (!server.up || i >= clients_from) {
      ledger.on({.kind = Kind::taken_up, .node = node, .disk = &disk});
      ledger.on({.kind = Kind::step_over, .node = node});
      ledger.on({.kind = Kind::stopped, .node = node});
      continue;
    }
    const auto tell = [&](const typename F::Event& event) {
      ledger.on({.kind = Kind::event, .node = node, .event = &event});
    };
    ledger.on({.kind = Kind::taken_up, .node = node, .disk = &disk});
    tell(BasicHistoryLoaded{HistoryReason::placed, server.node.history});
    tell(RoleChanged{server.node.role, server.node.role, server.node.phase, server.node.leader,
                     RoleReason::placed});
    if (server.node.role == Role::LOOKING) tell(Looking{server.node.logicalclock, server.node.proposal});
    if (server.node.role == Role::LEADING && server.node.serves()) {
      tell(Established{server.node.epoch, server.node.last_processed, {}});
    }
    ledger.on({.kind = Kind::step_over, .node = node});
    if (server.node.role == Role::LOOKING) ledger.own(node).placed = false;
  }
  if constexpr (requires { &ServiceBook<F>::place; }) {
    for (std::size_t i = 0; i < value.servers.size(); ++i)
      ServiceBook<F>::place(ledger.own(static_cast<int>(i)).service, value.servers[i].node);
  }
  ledger.settle();
  std::vector<OwnMemory> owns;
  for (std::size_t i = 0; i < value.servers.size(); ++i) owns.push_back(ledger.own(static_cast<int>(i)));
  return {std::move(owns), ledger.shared()};
}

}  // namespace zablab::zab
