// The one thread of the controller: it does one thing after the other, and waits for each of ZooKeeper's
// answers. A request whose connection is lost is repeated, as KafkaZkClient does
// (retryRequestsUntilConnected).
#include <algorithm>

#include "protocol/kafka/broker.h"
#include "protocol/kafka/replica.h"
#include "protocol/overloaded.h"

namespace zablab::kafka {
namespace {

using zookeeper::EventType, zookeeper::OpCode;

void begin(const Context& ctx, Item item) {
  switch (item) {
    case Item::startup: return beginStartup(ctx);
    case Item::controller_change:
    case Item::reelect: return beginElection(ctx);
    case Item::broker_change:
    case Item::preferred: return beginBrokerChange(ctx);
    case Item::expire: resign(ctx, ResignReason::session_expired); return finish(ctx);
  }
}

void beginNext(const Context& ctx) {
  Broker& broker = ctx.broker();
  if (broker.item || broker.queue.empty()) return;
  broker.item = broker.queue.front();
  broker.queue.erase(broker.queue.begin());
  begin(ctx, *broker.item);
}

constexpr std::int32_t write_groups = 4;

void onAnswered(const Context& ctx, const zookeeper::Answered& answered) {
  Broker& broker = ctx.broker();
  if (!broker.asked || answered.number != broker.asked_number) return;
  const zookeeper::Error error = answered.result.error;
  if (error == zookeeper::Error::CONNECTIONLOSS || error == zookeeper::Error::SESSIONEXPIRED) {
    const zookeeper::Op again = *broker.asked;
    noteUnknown(ctx, again);
    return ask(ctx, broker.stage, again);
  }
  broker.asked.reset();
  const Stage stage = std::exchange(broker.stage, Stage::none);
  stage >= Stage::brokers ? onControllerAnswer(ctx, stage, answered.result)
                          : onElectionAnswer(ctx, stage, answered.result, answered.zxid);
}

void onWatched(const Context& ctx, const zookeeper::NodeEvent& event) {
  if (event.path == controller_path)
    enqueue(ctx, event.type == EventType::NodeDeleted ? Item::reelect : Item::controller_change);
  if (event.path == ids_path && ctx.broker().active) enqueue(ctx, Item::broker_change);
}

void onExpired(const Context& ctx) {
  Broker& broker = ctx.broker();
  broker.registered = false;
  broker.session = zookeeper::no_session;  // the next one may have the same id
  if (ctx.rules.expiry_handled == ExpiryHandled::before_new_session) {
    broker.queue.clear();
    broker.item.reset();
    broker.asked.reset();
    broker.stage = Stage::none;
    resign(ctx, ResignReason::session_expired);
  } else {
    enqueue(ctx, Item::expire);
  }
  onSessionEvents(ctx, connectToZooKeeper(ctx));
}

void onState(const Context& ctx, const zookeeper::ClientStateChanged& changed) {
  Broker& broker = ctx.broker();
  if (changed.to == zookeeper::ClientState::CLOSED) return onExpired(ctx);
  if (changed.to != zookeeper::ClientState::CONNECTED || changed.session == broker.session) return;
  broker.session = changed.session;
  enqueue(ctx, Item::startup);
}

}  // namespace

void startBroker(const Context& ctx) { onSessionEvents(ctx, connectToZooKeeper(ctx)); }

void onSessionEvents(const Context& ctx, const std::vector<zookeeper::Event>& events) {
  for (const zookeeper::Event& event : events) {
    visit(Overloaded{
              [&](const zookeeper::Answered& one) {
                onIsrAnswered(ctx, one);
                onAnswered(ctx, one);
              },
              [&](const zookeeper::Watched& one) { onWatched(ctx, one.event); },
              [&](const zookeeper::ClientStateChanged& one) { onState(ctx, one); },
              [](const auto&) {},
          },
          event);
  }
}

void enqueue(const Context& ctx, Item item) {
  auto& queue = ctx.broker().queue;
  // What waits has not read anything yet, so once is enough.
  if (std::find(queue.begin(), queue.end(), item) == queue.end()) queue.push_back(item);
  beginNext(ctx);
}

std::int64_t requestNumber(const Context& ctx, Stage stage) {
  const auto stages = static_cast<std::int64_t>(enumCount<Stage>());
  return static_cast<std::int64_t>(stage) + ctx.node.zookeeper.client->unknown_writes * stages;
}

void noteUnknown(const Context& ctx, const zookeeper::Op& op) {
  auto& unknown_writes = ctx.node.zookeeper.client->unknown_writes;
  if (zookeeper::isWrite(op.code)) unknown_writes = (unknown_writes + 1) % write_groups;
}

void finish(const Context& ctx) {
  ctx.broker().item.reset();
  beginNext(ctx);
}

void ask(const Context& ctx, Stage stage, const zookeeper::Op& op) {
  Broker& broker = ctx.broker();
  broker.stage = stage;
  broker.asked = op;
  const std::int64_t number = broker.asked_number = requestNumber(ctx, stage);
  ctx.emit(zookeeper::Requested{number, op});
  onSessionEvents(ctx, askZooKeeper(ctx, number, op));
}

zookeeper::SubOp createOp(std::string_view path, std::string data, bool ephemeral) {
  zookeeper::SubOp op{.code = OpCode::create, .path = std::string(path), .data = std::move(data)};
  op.flags = ephemeral ? 1 : 0;
  op.acl = zookeeper::openAcl();
  return op;
}

zookeeper::SubOp setOp(std::string_view path, std::string data, std::int32_t version) {
  return {.code = OpCode::setData, .path = std::string(path), .data = std::move(data), .version = version};
}

zookeeper::SubOp checkOp(std::string_view path, std::int32_t version) {
  return {.code = OpCode::check, .path = std::string(path), .version = version};
}

zookeeper::Op readOp(OpCode code, std::string_view path, bool watch) {
  return {{.code = code, .path = std::string(path)}, watch};
}

zookeeper::Op multiOf(std::vector<zookeeper::SubOp> ops) {
  zookeeper::Op multi{{.code = OpCode::multi}};
  multi.ops = std::move(ops);
  return multi;
}

zookeeper::Error errorOf(const zookeeper::Result& result) {
  for (const zookeeper::SubResult& one : result.results) {
    if (one.error != zookeeper::Error::OK && one.error != zookeeper::Error::RUNTIMEINCONSISTENCY)
      return one.error;
  }
  return result.error;
}

}  // namespace zablab::kafka
