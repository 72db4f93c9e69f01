// Handles one input of a node of each kind.
#include <algorithm>

#include "protocol/kafka/broker.h"
#include "protocol/kafka/client.h"
#include "protocol/kafka/replica.h"
#include "protocol/overloaded.h"

namespace zablab::kafka {
namespace {

using StoreFamily = zookeeper::Family;

void onBrokerMessage(const Context& ctx, const V::Received& received) {
  const ServerId from = received.from;
  visit(Overloaded{
            [&](const ControllerRequest& one) { onControllerRequest(ctx, one); },
            [&](const MetadataRequest& one) { onMetadataRequest(ctx, from, one); },
            [&](const Produce& one) { onProduce(ctx, from, one); },
            [&](const Consume& one) { onConsume(ctx, from, one); },
            [&](const ElectLeaders&) { onElectLeaders(ctx); },
            [&](const auto&) { onReplicaMessage(ctx, from, received.message); },
        },
        received.message);
}

/// The process begins with what its disk holds.
Broker brokerWith(const Durable& disk) {
  Broker broker;
  broker.replica.log = disk.log;
  broker.replica.high_watermark = std::min(disk.high_watermark, endOf(disk.log));
  return broker;
}

void onTimer(const Context& ctx, const V::Timer& timer) {
  if (timer.kind == TimerKind::request_retry) return onRequestRetry(ctx);
  onReplicaTimer(ctx, timer.kind, timer.key.peer.value_or(no_server));
}

void stepBroker(const Context& ctx, const Input& input) {
  if (const auto* received = get_if<V::Received>(&input)) onBrokerMessage(ctx, *received);
  if (const auto* fired = get_if<V::Fired>(&input)) onTimer(ctx, fired->timer);
  if (const auto* age = get_if<V::Age>(&input)) onFetchedBefore(ctx, age->key, age->millis);
  if (const auto own = inputOfZooKeeper(input)) onSessionEvents(ctx, stepZooKeeper(ctx, *own));
  if (holds_alternative<V::Start>(input)) startBroker(ctx);
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
    node.zookeeper = StoreFamily::loaded(config.zookeeper, zookeeper_rules, self, disk.zookeeper);
  if (config.kind == NodeKind::broker) node.broker = brokerWith(disk);
  return node;
}

void Family::step(const Config& config, const Rules& rules, Node& node, const Input& input, Effects& out,
                  Millis clock) {
  const Context ctx{config, rules, node, out, clock};
  switch (config.kind) {
    case NodeKind::broker:
      if (const auto* start = get_if<V::Start>(&input)) node.broker = brokerWith(start->disk);
      return stepBroker(ctx, input);
    case NodeKind::zookeeper:
      if (const auto own = inputOfZooKeeper(input)) stepZooKeeper(ctx, *own);
      return;
    case NodeKind::client: return stepClient(ctx, input);
  }
}

void Family::write(Durable& disk, const Record& record) {
  visit(Overloaded{
            [&](const AppendRecords& one) {
              disk.log.insert(disk.log.end(), one.entries.begin(), one.entries.end());
            },
            [&](const TruncateLog& one) { disk.log.resize(static_cast<std::size_t>(one.end)); },
            [&](const CheckpointHighWatermark& one) { disk.high_watermark = one.high_watermark; },
            [&](const auto& one) { StoreFamily::write(disk.zookeeper, zookeeper::Record(one)); },
        },
        record);
}

void Family::writeHalf(Durable& disk, const Record& record) {
  visit(Overloaded{
            [](const AppendRecords&) {},
            [](const TruncateLog&) {},
            [](const CheckpointHighWatermark&) {},
            [&](const auto& one) { StoreFamily::writeHalf(disk.zookeeper, zookeeper::Record(one)); },
        },
        record);
}

bool Family::accepts(const Node& node, Link link) {
  if (link >= broker_link) return node.broker || node.client;
  return !node.broker && !node.client && StoreFamily::accepts(node.zookeeper, link);
}

}  // namespace zablab::kafka
