// The controller follows the list of live brokers, chooses the partition's leader, writes it to ZooKeeper in
// one multi with a check of its epoch, and sends it to the brokers.
#include <algorithm>

#include "protocol/kafka/broker.h"

namespace zablab::kafka {
namespace {

using zookeeper::Error, zookeeper::OpCode, zookeeper::Result;

constexpr Millis request_retry_ms = 100;

std::vector<ServerId> idsOf(const std::vector<LiveBroker>& brokers) {
  std::vector<ServerId> ids;
  for (const LiveBroker& one : brokers) ids.push_back(one.id);
  return ids;
}

/// The replicas of the assignment that are among these, in its order.
std::vector<ServerId> assignedOf(const Context& ctx, const std::vector<ServerId>& among) {
  std::vector<ServerId> replicas;
  for (const ServerId one : ctx.config.assignment) {
    if (contains(among, one)) replicas.push_back(one);
  }
  return replicas;
}

ServerId firstOf(const Context& ctx, const std::vector<ServerId>& replicas) {
  return ctx.rules.leader_order == LeaderOrder::assignment
             ? replicas.front()
             : *std::min_element(replicas.begin(), replicas.end());
}

/// What the partition's state has to be (PartitionLeaderElectionAlgorithms): the present leader stays if it
/// is alive; the next one is in sync, unless unclean elections are enabled.
Partition choose(const Context& ctx, bool preferred) {
  const Broker& broker = ctx.broker();
  const std::vector<ServerId> live = assignedOf(ctx, idsOf(broker.live));
  Partition next = broker.partition;
  if (!broker.partition_version) {
    if (live.empty()) return next;
    next.leader = firstOf(ctx, live);
    next.isr = live;
    return next;
  }
  std::vector<ServerId> in_sync;
  for (const ServerId one : live) {
    if (contains(next.isr, one)) in_sync.push_back(one);
  }
  if (!in_sync.empty()) {
    if (ctx.rules.dead_replicas == DeadReplicas::leave)
      std::erase_if(next.isr, [&](ServerId one) { return !contains(live, one); });
    const ServerId first = ctx.config.assignment.front();
    if (preferred && contains(in_sync, first)) next.leader = first;
    if (!contains(in_sync, next.leader)) next.leader = firstOf(ctx, in_sync);
    const bool alone = ctx.rules.chosen_isr == ChosenIsr::leader_alone;
    if (alone && next.leader != broker.partition.leader) next.isr = {next.leader};
  } else if (ctx.rules.unclean_election == UncleanElection::enabled && !live.empty()) {
    next.leader = firstOf(ctx, live);
    next.isr = {next.leader};
  } else {
    next.leader = no_server;
  }
  if (next == broker.partition) return next;
  if (ctx.rules.leader_epoch == LeaderEpoch::raised) ++next.leader_epoch;
  return next;
}

void sendRequestsToBrokers(const Context& ctx) {
  const Broker& broker = ctx.broker();
  for (const LiveBroker& other : std::vector<LiveBroker>(broker.live)) {
    ControllerRequest request{ctx.node.self,      broker.epoch,     other.epoch,
                              idsOf(broker.live), broker.partition, *broker.partition_version};
    if (ctx.rules.told_isr == ToldIsr::whole_assignment) request.partition.isr = ctx.config.assignment;
    if (other.id == ctx.node.self) {
      onControllerRequest(ctx, request);
    } else {
      ctx.send(broker_link, other.id, request);
    }
  }
}

void readPartition(const Context& ctx) {
  ask(ctx, Stage::partition_read, readOp(OpCode::getData, state_path, false));
}

auto notRead(Broker& broker) {
  return std::find_if(broker.reading.begin(), broker.reading.end(),
                      [](const LiveBroker& one) { return one.epoch == 0; });
}

/// Since when each of them is registered, one after the other.
void readNextBroker(const Context& ctx) {
  Broker& broker = ctx.broker();
  const auto next = notRead(broker);
  if (next != broker.reading.end())
    return ask(ctx, Stage::broker_read, readOp(OpCode::exists, idPath(next->id), false));
  broker.live = std::exchange(broker.reading, {});
  ctx.emit(BrokersSeen{idsOf(broker.live)});
  readPartition(ctx);
}

void onBrokersRead(const Context& ctx, const Result& result) {
  Broker& broker = ctx.broker();
  broker.reading.clear();
  for (const std::string& child : result.children) {
    if (const auto id = numberOf(child)) broker.reading.push_back({*id, 0});
  }
  std::sort(broker.reading.begin(), broker.reading.end(),
            [](const LiveBroker& a, const LiveBroker& b) { return a.id < b.id; });
  readNextBroker(ctx);
}

void onBrokerRead(const Context& ctx, const Result& result) {
  Broker& broker = ctx.broker();
  const auto read = notRead(broker);
  if (result.error == Error::OK && result.stat) {
    read->epoch = result.stat->czxid.value;
  } else {
    broker.reading.erase(read);  // gone meanwhile, of which it is notified
  }
  readNextBroker(ctx);
}

/// A controller that begins takes the replicas that it does not find alive from the ISR, one after the other,
/// and then chooses a leader (ReplicaStateMachine.startup, PartitionStateMachine.startup). The last one in
/// the ISR remains there.
Partition without(const Context& ctx, ServerId dead) {
  Partition next = ctx.broker().partition;
  if (!contains(next.isr, dead)) return next;
  if (next.isr.size() > 1) std::erase(next.isr, dead);
  if (next.leader == dead) next.leader = no_server;
  if (ctx.rules.leader_epoch == LeaderEpoch::raised) ++next.leader_epoch;
  return next;
}

/// What is to be written next; the present state: nothing.
Partition nextOf(const Context& ctx) {
  Broker& broker = ctx.broker();
  while (!broker.offline.empty()) {
    const ServerId dead = broker.offline.front();
    broker.offline.erase(broker.offline.begin());
    Partition next = without(ctx, dead);
    if (next != broker.partition) return next;
  }
  broker.begins = false;
  const bool preferred = ctx.rules.preferred_leader == PreferredLeader::elected;
  return choose(ctx, preferred && broker.item == Item::preferred);
}

void decide(const Context& ctx) {
  Broker& broker = ctx.broker();
  Partition next = nextOf(ctx);
  if (next == broker.partition) {
    if (broker.partition_version) sendRequestsToBrokers(ctx);
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

void onPartitionRead(const Context& ctx, const Result& result) {
  Broker& broker = ctx.broker();
  broker.partition = {};
  broker.partition_version.reset();
  if (result.error == Error::OK && result.data && result.stat) {
    broker.partition = partitionOf(*result.data).value_or(Partition{});
    broker.partition_version = result.stat->version;
  }
  const std::vector<ServerId> live = idsOf(broker.live);
  broker.offline.clear();
  if (broker.partition_version && broker.begins) {
    for (const ServerId one : ctx.config.assignment) {
      if (!contains(live, one)) broker.offline.push_back(one);
    }
  }
  decide(ctx);
}

/// After it was written: a node that was created has version 0.
std::int32_t versionOf(const Result& result) {
  const auto& stat = result.results.empty() ? result.stat : result.results.back().stat;
  return stat ? stat->version : 0;
}

void onPartitionWritten(const Context& ctx, const Result& result) {
  Broker& broker = ctx.broker();
  if (errorOf(result) == Error::OK) {
    broker.partition_version = versionOf(result);
    ctx.emit(LeaderChosen{broker.partition});
    sendRequestsToBrokers(ctx);
    return broker.begins ? decide(ctx) : finish(ctx);
  }
  const bool fenced = !result.results.empty() && result.results.front().error == Error::BADVERSION;
  if (fenced) {
    resign(ctx, ResignReason::fenced);
    enqueue(ctx, Item::controller_change);
    return finish(ctx);
  }
  // Somebody else, or a request of its own whose reply was lost, has changed it.
  readPartition(ctx);
}

}  // namespace

void beginBrokerChange(const Context& ctx) {
  if (!ctx.broker().active) return finish(ctx);
  ask(ctx, Stage::brokers, readOp(OpCode::getChildren, ids_path, true));
}

void beginRequestRetries(const Context& ctx) {
  if (ctx.rules.request_retry == RequestRetry::until_connected)
    ctx.out.push_back(V::SetTimer{{TimerKind::request_retry}, request_retry_ms, request_retry_ms});
}

void endRequestRetries(const Context& ctx) { ctx.out.push_back(V::CancelTimer{{TimerKind::request_retry}}); }

void onRequestRetry(const Context& ctx) {
  // On a new connection the last request is sent again.
  for (const LiveBroker& other : ctx.broker().live) {
    if (other.id != ctx.node.self) ctx.out.push_back(V::Connect{broker_link, other.id});
  }
  beginRequestRetries(ctx);
}

void onControllerAnswer(const Context& ctx, Stage stage, const Result& result) {
  if (stage == Stage::brokers) return onBrokersRead(ctx, result);
  if (stage == Stage::broker_read) return onBrokerRead(ctx, result);
  if (stage == Stage::partition_read) return onPartitionRead(ctx, result);
  onPartitionWritten(ctx, result);
}

}  // namespace zablab::kafka
