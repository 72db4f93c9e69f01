#include "checker/kafka/rest.h"

#include <algorithm>
#include <set>
#include <string>

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
