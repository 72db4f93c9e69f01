// Handles one input of a node of each kind.
#include "protocol/kafka/broker.h"
#include "protocol/kafka/client.h"

namespace zablab::kafka {
namespace {

using StoreFamily = zookeeper::Family;

void stepBroker(const Context& ctx, const Input& input) {
  if (const auto* received = std::get_if<V::Received>(&input)) {
    if (const auto* request = std::get_if<ControllerRequest>(&received->message))
      return onControllerRequest(ctx, *request);
    if (const auto* request = std::get_if<MetadataRequest>(&received->message))
      return onMetadataRequest(ctx, received->from, *request);
  }
  if (const auto own = inputOfZooKeeper(input)) onSessionEvents(ctx, stepZooKeeper(ctx, *own));
  if (std::holds_alternative<V::Start>(input)) startBroker(ctx);
}

}  // namespace

Node Family::blank(ServerId self) {
  Node node;
  node.self = self;
  node.zookeeper = StoreFamily::blank(self);
  return node;
}

Node Family::loaded(const Config& config, const Rules&, ServerId self, const Durable& disk) {
  Node node = blank(self);
  if (config.kind == NodeKind::zookeeper)
    node.zookeeper = StoreFamily::loaded(config.zookeeper, zookeeper_rules, self, disk);
  if (config.kind == NodeKind::broker) node.broker.emplace();
  return node;
}

void Family::step(const Config& config, const Rules& rules, Node& node, const Input& input, Effects& out,
                  Millis clock) {
  const Context ctx{config, rules, node, out, clock};
  switch (config.kind) {
    case NodeKind::broker:
      if (std::holds_alternative<V::Start>(input)) node.broker.emplace();
      return stepBroker(ctx, input);
    case NodeKind::zookeeper:
      if (const auto own = inputOfZooKeeper(input)) stepZooKeeper(ctx, *own);
      return;
    case NodeKind::client: return stepClient(ctx, input);
  }
}

void Family::write(Durable& disk, const Record& record) { StoreFamily::write(disk, record); }
void Family::writeHalf(Durable& disk, const Record& record) { StoreFamily::writeHalf(disk, record); }

bool Family::accepts(const Node& node, Link link) {
  if (link >= broker_link) return node.broker || node.client;
  return !node.broker && !node.client && StoreFamily::accepts(node.zookeeper, link);
}

}  // namespace zablab::kafka
