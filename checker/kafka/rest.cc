#include "checker/kafka/rest.h"

#include <algorithm>
#include <set>
#include <string>

#include "checker/kafka/store_text.h"

namespace zablab::kafka {

std::optional<Unsettled> unsettled(const std::vector<const Node*>& brokers, const Node& store) {
  const auto& tree = store.zookeeper.service.nodes;
  const auto named = tree.find(std::string(controller_path));
  const auto active = std::find_if(brokers.begin(), brokers.end(), [&](const Node* node) {
    return node->broker->active && named != tree.end() && named->second.data == std::to_string(node->self);
  });
  if (active == brokers.end()) return Unsettled{Lacking::controller};
  const Broker& controller = *(*active)->broker;
  for (const Node* node : brokers) {
    const bool seen = std::any_of(controller.live.begin(), controller.live.end(),
                                  [&](const LiveBroker& one) { return one.id == node->self; });
    if (!seen) return Unsettled{Lacking::registration, node->self};
    const Broker& broker = *node->broker;
    if (broker.seen_epoch != controller.epoch || broker.applied.leader != controller.partition.leader)
      return Unsettled{Lacking::update, node->self};
  }
  return std::nullopt;
}

std::string_view describe(Unfit unfit) {
  switch (unfit) {
    case Unfit::no_state: return "no partition";
    case Unfit::leader: return "no leader, or one that is not in sync";
    case Unfit::in_sync: return "replicas are not in sync";
    case Unfit::logs: return "replicas have different records";
    case Unfit::not_committed: return "records are not committed";
  }
  return "";
}

std::optional<Unfit> unreplicated(const std::vector<const Node*>& brokers, const Node& store,
                                  const std::vector<ServerId>& assignment) {
  const auto& tree = store.zookeeper.service.nodes;
  const auto found = tree.find(std::string(state_path));
  const auto state = found == tree.end() ? std::nullopt : readState(found->second.data.value_or(""));
  if (!state) return Unfit::no_state;
  std::vector<const Node*> replicas;
  const Node* leader = nullptr;
  bool one_in_sync = false;
  for (const Node* node : brokers) {
    if (!isIn(assignment, node->self)) continue;
    replicas.push_back(node);
    one_in_sync = one_in_sync || isIn(state->isr, node->self);
    const bool leads = node->broker->replica.role == ReplicaRole::leader;
    if (leads != (state->leader == node->self)) return Unfit::leader;
    if (leads) leader = node;
  }
  if (!one_in_sync) return state->leader == no_server ? std::nullopt : std::optional(Unfit::leader);
  if (leader == nullptr) return Unfit::leader;
  if (state->isr.size() != replicas.size()) return Unfit::in_sync;
  const Log& log = leader->broker->replica.log;
  for (const Node* node : replicas) {
    const Replica& replica = node->broker->replica;
    if (!isIn(state->isr, node->self)) return Unfit::in_sync;
    if (replica.log != log) return Unfit::logs;
    if (replica.high_watermark != std::ssize(log)) return Unfit::not_committed;
  }
  return std::nullopt;
}

bool areAtRest(const std::vector<const Node*>& nodes) {
  std::set<zookeeper::SessionId> sessions;
  for (const Node* node : nodes) {
    const auto& session = node->zookeeper.client;
    if (!session) continue;
    sessions.insert(session->session);
    if (!node->broker) continue;
    if (session->state != zookeeper::ClientState::CONNECTED || !session->waiting.empty()) return false;
    if (node->broker->item || !node->broker->queue.empty()) return false;
  }
  for (const Node* node : nodes) {
    for (const auto& [session, tracked] : node->zookeeper.tracked) {
      if (!sessions.contains(session)) return false;
    }
  }
  return true;
}

}  // namespace zablab::kafka
