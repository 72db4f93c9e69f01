#include "checker/zab/check.h"

#include "checker/zab/invariants_recovery.h"
#include "protocol/zab/election.h"
#include "protocol/zab/quorum.h"

namespace zablab {

using zab::Role;
using zab::TimerKind;

namespace {

constexpr unsigned leader_shift = 8;

}  // namespace

std::uint32_t CheckOf<zab::Family>::view(const zab::NodeConfig& config, const zab::Rules& rules,
                                         const zab::Node& node) {
  const auto withLeader = [&](std::uint32_t rest, const std::optional<ServerId>& leader) {
    for (std::size_t i = 0; leader && i < config.members.size(); ++i) {
      if (config.members[i].id == *leader) rest |= static_cast<std::uint32_t>(i + 1) << leader_shift;
    }
    return rest;
  };
  if (config.client) {
    if (!node.client || !node.client->server) return settled;
    return withLeader(node.client->waiting.empty() ? settled | takes_writes | idle : settled,
                      node.client->server);
  }
  std::uint32_t view = node.role == Role::LOOKING ? 0 : settled;
  if (node.role == Role::LEADING) view |= leads;
  if (node.delayed) view |= delayed;
  if (!config.isVoter(node.self)) view |= observes;
  if (node.role == Role::LEADING && node.serves() && !node.log_failed) {
    view |= takes_writes;
    std::vector<ServerId> heard{node.self};
    for (const auto& [id, learner] : node.learners) heard.push_back(id);
    if (!zab::isQuorum(config, rules, heard)) view |= due;
  }
  return withLeader(view, node.leader);
}

int CheckOf<zab::Family>::peerOf(const Cluster<zab::Family>& cluster, std::uint32_t view,
                                 const zab::Timer& timer) {
  if (timer.peer != no_server) return cluster.indexOf(timer.peer);
  return timer.kind == TimerKind::leader_limit ? leaderOf(cluster, view) : -1;
}

int CheckOf<zab::Family>::leaderOf(const Cluster<F>& cluster, std::uint32_t view) {
  const std::uint32_t leader = view >> leader_shift;
  return leader == 0 ? -1 : cluster.indexOf(cluster.configs[0].members[leader - 1].id);
}

bool CheckOf<zab::Family>::beats(const Cluster<F>& cluster, const zab::Message& a, const zab::Message& b) {
  const auto& challenger = std::get<zab::Notification>(a).vote;
  return zab::beats(
      zab::compare(cluster.configs[0], cluster.rules, challenger, std::get<zab::Notification>(b).vote));
}

bool CheckOf<zab::Family>::isQuorumTo(const Cluster<F>& cluster, int server, std::uint64_t set) {
  const zab::Config& config = cluster.configs[static_cast<std::size_t>(server)];

  std::vector<ServerId> servers;
  for (std::size_t i = 0; i < cluster.ids.size(); ++i) {
    if (((set >> i) & 1) != 0) servers.push_back(cluster.ids[i]);
  }
  return zab::isQuorum(config, cluster.rules, servers);
}

Fires CheckOf<zab::Family>::firesByDefault(TimerKind kind) {
  switch (kind) {
    case TimerKind::finalize_wait:
    case TimerKind::observer_delay:
    case TimerKind::connect_retry:
    case TimerKind::newleader: return Fires::free;
    case TimerKind::notification_wait:
    case TimerKind::init_limit: return Fires::rest;
    case TimerKind::leader_limit:
    case TimerKind::learner_limit:
    case TimerKind::ack_limit: return Fires::gone;
    case TimerKind::half_tick: return Fires::due;
  }
  return Fires::never;
}

CheckOf<zab::Family>::CheckOf(const Cluster<zab::Family>& cluster) : cluster_(cluster) {
  auto ledger = std::make_unique<zab::Ledger>(cluster);
  ledger_ = ledger.get();
  set_ = zab::monitorsWith(std::move(ledger));
  obligations_.resize(set_->monitors().size());
}

void CheckOf<zab::Family>::begin(int server, const OwnMemory& own, const SharedMemory& shared) {
  server_ = server;
  ledger_->own(server) = own;
  ledger_->setShared(shared);
}

CheckOf<zab::Family>::Seen CheckOf<zab::Family>::end() {
  Seen seen;
  ledger_->settle();
  seen.touches_shared = ledger_->sharedTouched();
  seen.own = ledger_->own(server_);
  seen.shared = ledger_->shared();
  for (std::size_t i = 0; i < set_->monitors().size(); ++i) {
    auto& monitor = *set_->monitors()[i];
    obligations_[i] += monitor.takeObligations();
    if (monitor.takeViolation()) seen.violated |= 1U << i;
  }
  return seen;
}

std::pair<std::vector<CheckOf<zab::Family>::OwnMemory>, CheckOf<zab::Family>::SharedMemory>
CheckOf<zab::Family>::memoriesOf(const WorldValue<zab::Family>& value) {
  zab::Ledger ledger(cluster_);
  for (std::size_t i = 0; i < value.servers.size(); ++i) {
    const int node = static_cast<int>(i);
    const Server<F>& server = value.servers[i];
    const zab::Durable& disk = value.disks[i].image;
    if (!server.up || cluster_.configs[i].client) {
      ledger.on({.kind = Kind::taken_up, .node = node, .disk = &disk});
      ledger.on({.kind = Kind::step_over, .node = node});
      ledger.on({.kind = Kind::stopped, .node = node});
      continue;
    }
    const auto tell = [&](const zab::Event& event) {
      ledger.on({.kind = Kind::event, .node = node, .event = &event});
    };
    ledger.on({.kind = Kind::taken_up, .node = node, .disk = &disk});
    tell(zab::HistoryLoaded{zab::HistoryReason::placed, server.node.history});
    tell(zab::RoleChanged{server.node.role, server.node.role, server.node.phase, server.node.leader,
                          zab::RoleReason::placed});
    if (server.node.role == Role::LOOKING) tell(zab::Looking{server.node.round, server.node.proposal});
    if (server.node.role == Role::LEADING && server.node.serves()) {
      tell(zab::Established{server.node.epoch, server.node.last_processed, {}});
    }
    ledger.on({.kind = Kind::step_over, .node = node});
    if (server.node.role == Role::LOOKING) ledger.own(node).placed = false;
  }
  ledger.settle();
  std::vector<OwnMemory> owns;
  for (std::size_t i = 0; i < value.servers.size(); ++i) owns.push_back(ledger.own(static_cast<int>(i)));
  return {std::move(owns), ledger.shared()};
}

std::vector<InvariantInfo> CheckOf<zab::Family>::invariants() const {
  std::vector<InvariantInfo> list;
  for (const auto& monitor : set_->monitors()) list.push_back(monitor->info());
  return list;
}

}  // namespace zablab
