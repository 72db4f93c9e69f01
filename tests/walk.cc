#include "tests/walk.h"

#include "tests/histories.h"

namespace zablab::walk {

using zab::Family;

Cluster<Family> electionCluster(int servers, const zab::Rules& rules) {
  Cluster<Family> cluster;
  zab::NodeConfig config;
  for (int id = 1; id <= servers; ++id) {
    config.members.push_back({.id = id});
    cluster.ids.push_back(id);
  }
  const auto count = static_cast<std::size_t>(servers);
  cluster.configs.assign(count, config);
  cluster.scripted.assign(count, false);
  cluster.rules = rules;
  for (const auto& link : Family::links) cluster.links.push_back(link.kind);
  return cluster;
}

std::vector<zab::Durable> disksWith(const std::vector<zab::Zxid>& last) {
  std::vector<zab::Durable> disks;
  for (const zab::Zxid zxid : last) {
    disks.push_back(
        {.accepted_epoch = zxid.epoch(), .current_epoch = zxid.epoch(), .snapshot = zab::upTo(zxid)});
  }
  return disks;
}

WorldValue<Family> allStarted(const Cluster<Family>& cluster, const std::vector<zab::Durable>& disks,
                              bool connected) {
  DirectStore<Family> store(cluster);
  NullEnvironment<Family> env;
  World<DirectStore<Family>, NullEnvironment<Family>> world(cluster, store, env);
  for (int i = 0; i < store.size(); ++i) {
    store.disk(i).image = disks[static_cast<std::size_t>(i)];
    for (int j = 0; connected && j < i; ++j) world.open(zab::election_link, j, i);
  }
  for (int i = 0; i < store.size(); ++i) world.start(i);
  return store.value();
}

bool isOfElection(const Action<Family>& action) {
  switch (action.kind) {
    case ActionKind::deliver:
    case ActionKind::dial: return action.link == zab::election_link;
    case ActionKind::fire: return action.timer.kind == zab::TimerKind::finalize_wait;
    default: return false;
  }
}

bool isLooking(const zab::Event& event) { return holds_alternative<zab::Looking>(event); }

std::string words(const Action<Family>& action) {
  const std::string a = std::to_string(action.a + 1);
  const std::string b = std::to_string(action.b + 1);
  switch (action.kind) {
    case ActionKind::deliver: return a + "->" + b;
    case ActionKind::dial: return "dial " + a + "->" + b;
    case ActionKind::fire: return "wait " + a;
    default: return std::string(enumName(action.kind)) + " " + a;
  }
}

template class Walker<Family>;

}  // namespace zablab::walk
