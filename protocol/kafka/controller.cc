// The controller follows the list of live brokers, chooses the partition's leader, writes it to ZooKeeper in
// one multi with a check of its epoch, and tells the brokers.
#include <algorithm>

#include "protocol/kafka/broker.h"

namespace zablab::kafka {
namespace {

using zookeeper::Error, zookeeper::OpCode, zookeeper::Result;

bool contains(const std::vector<ServerId>& list, ServerId id) {
  return std::find(list.begin(), list.end(), id) != list.end();
}

/// The present leader stays if it is alive. Replicas have no log yet: each live one counts as in sync.
Partition choose(const Context& ctx) {
  const Broker& broker = ctx.broker();
  std::vector<ServerId> isr;
  for (const ServerId replica : ctx.config.assignment) {
    if (contains(broker.live, replica)) isr.push_back(replica);
  }
  Partition next = broker.partition;
  if (isr.empty()) return next;
  if (!contains(isr, next.leader) || !broker.partition_version) {
    next.leader = ctx.rules.leader_order == LeaderOrder::assignment
                      ? isr.front()
                      : *std::min_element(isr.begin(), isr.end());
  }
  const bool changed = next.leader != broker.partition.leader || isr != broker.partition.isr;
  next.isr = std::move(isr);
  if (!changed || !broker.partition_version) return next;
  if (ctx.rules.leader_epoch == LeaderEpoch::raised) ++next.leader_epoch;
  return next;
}

void tellBrokers(const Context& ctx) {
  const Broker& broker = ctx.broker();
  const ControllerRequest request{ctx.node.self, broker.epoch, broker.live, broker.partition};
  for (const ServerId other : broker.live) {
    if (other != ctx.node.self) ctx.send(broker_link, other, request);
  }
  onControllerRequest(ctx, request);
}

void onBrokersRead(const Context& ctx, const Result& result) {
  Broker& broker = ctx.broker();
  broker.live.clear();
  for (const std::string& child : result.children) {
    if (const auto id = numberOf(child)) broker.live.push_back(*id);
  }
  std::sort(broker.live.begin(), broker.live.end());
  ctx.emit(BrokersSeen{broker.live});
  ask(ctx, Stage::partition_read, readOp(OpCode::getData, state_path, false));
}

void onPartitionRead(const Context& ctx, const Result& result) {
  Broker& broker = ctx.broker();
  broker.partition = {};
  broker.partition_version.reset();
  if (result.error == Error::OK && result.data && result.stat) {
    broker.partition = partitionOf(*result.data).value_or(Partition{});
    broker.partition_version = result.stat->version;
  }
  Partition next = choose(ctx);
  if (next == broker.partition) {
    tellBrokers(ctx);
    return finish(ctx);
  }
  next.controller_epoch = broker.epoch;
  const std::string text = textOf(next);
  zookeeper::SubOp write = broker.partition_version ? setOp(state_path, text, *broker.partition_version)
                                                    : createOp(state_path, text, false);
  broker.partition = std::move(next);
  if (!ctx.fences() || ctx.rules.store_writes == StoreWrites::unchecked)
    return ask(ctx, Stage::partition_written, {std::move(write)});
  ask(ctx, Stage::partition_written, multiOf({checkOp(epoch_path, broker.version), std::move(write)}));
}

void onPartitionWritten(const Context& ctx, const Result& result) {
  Broker& broker = ctx.broker();
  if (errorOf(result) == Error::OK) {
    ctx.emit(LeaderChosen{broker.partition});
    tellBrokers(ctx);
    return finish(ctx);
  }
  const bool fenced = !result.results.empty() && result.results.front().error == Error::BADVERSION;
  if (fenced) {
    resign(ctx, ResignReason::fenced);
    enqueue(ctx, Item::controller_change);
    return finish(ctx);
  }
  // Somebody else, or a request of its own whose reply was lost, has changed it.
  ask(ctx, Stage::partition_read, readOp(OpCode::getData, state_path, false));
}

}  // namespace

void beginBrokerChange(const Context& ctx) {
  if (!ctx.broker().active) return finish(ctx);
  ask(ctx, Stage::brokers, readOp(OpCode::getChildren, ids_path, true));
}

void onControllerAnswer(const Context& ctx, Stage stage, const Result& result) {
  if (stage == Stage::brokers) return onBrokersRead(ctx, result);
  if (stage == Stage::partition_read) return onPartitionRead(ctx, result);
  onPartitionWritten(ctx, result);
}

}  // namespace zablab::kafka
