#include "protocol/kafka/client.h"

#include <string>
#include <utility>

namespace zablab::kafka {
namespace {

struct Ended {
  Outcome outcome{};
  ServerId broker = no_server;
  ServerId controller = no_server;
  ServerId leader = no_server;
  std::int64_t record = 0;
};

void endRequest(const Context& ctx, const Ended& ended) {
  Client& client = *ctx.node.client;
  if (!client.asked) return;
  const Request request = *std::exchange(client.asked, std::nullopt);
  client.knows_leader = false;
  switch (request.operation) {
    case Operation::produce:
      return ctx.emit(Produced{request.number, request.acks, ended.outcome, ended.broker});
    case Operation::consume:
      return ctx.emit(Consumed{request.number, ended.outcome, ended.broker, ended.record});
    case Operation::metadata:
    case Operation::connect:
    case Operation::elect_preferred:
    case Operation::delete_controller:
      return ctx.emit(
          MetadataAnswered{request.number, ended.outcome, ended.broker, ended.controller, ended.leader});
  }
}

/// The broker that it turns to, or all.
void askBrokers(const Context& ctx, const Message& message) {
  const Client& client = *ctx.node.client;
  for (const ServerId broker : ctx.config.brokers) {
    if (client.server == no_server || client.server == broker) ctx.send(metadata_link, broker, message);
  }
}

/// A producer without acknowledgements does not wait for an answer.
void askLeaderOf(const Context& ctx, ServerId leader) {
  Client& client = *ctx.node.client;
  const Request request = *client.asked;
  client.knows_leader = true;
  if (request.operation == Operation::consume)
    return ctx.send(metadata_link, leader, Consume{request.number});
  ctx.send(metadata_link, leader, Produce{request.number, request.acks});
  if (request.acks == Acks::none) endRequest(ctx, {Outcome::ok, leader});
}

void beginRequest(const Context& ctx, const Request& request) {
  Client& client = *ctx.node.client;
  endRequest(ctx, {Outcome::unanswered, client.server});
  client.asked = request;
  if (request.server != no_server) return askLeaderOf(ctx, request.server);
  askBrokers(ctx, MetadataRequest{request.number});
}

void onAsked(const Context& ctx, const Request& request) {
  Client& client = *ctx.node.client;
  switch (request.operation) {
    case Operation::connect: client.server = request.server; return;
    case Operation::metadata:
    case Operation::produce:
    case Operation::consume: return beginRequest(ctx, request);
    case Operation::elect_preferred: return askBrokers(ctx, ElectLeaders{request.number});
    case Operation::delete_controller:
      if (ctx.node.zookeeper.client->state == zookeeper::ClientState::CLOSED) connectToZooKeeper(ctx);
      askZooKeeper(ctx, request.number,
                   {{.code = zookeeper::OpCode::remove, .path = std::string(controller_path)}});
      return;
  }
}

void onMetadata(const Context& ctx, ServerId from, const MetadataResponse& response) {
  const Client& client = *ctx.node.client;
  if (client.knows_leader || (client.server != no_server && client.server != from)) return;
  if (response.controller == no_server) {
    // If it asks all, another one may know.
    if (client.server == from) endRequest(ctx, {Outcome::no_controller, from});
    return;
  }
  if (client.asked->operation == Operation::metadata)
    return endRequest(ctx, {Outcome::ok, from, response.controller, response.leader});
  if (response.leader == no_server) return endRequest(ctx, {Outcome::not_leader, from});
  askLeaderOf(ctx, response.leader);
}

void onReceived(const Context& ctx, ServerId from, const Message& message) {
  const auto& asked = ctx.node.client->asked;
  const auto isAnswer = [&](const auto* one) {
    return one != nullptr && asked && asked->number == one->number;
  };
  if (const auto* one = get_if<MetadataResponse>(&message); isAnswer(one)) onMetadata(ctx, from, *one);
  if (const auto* one = get_if<ProduceResponse>(&message); isAnswer(one))
    endRequest(ctx, {ctx.rules.refusal == Refusal::reported ? one->outcome : Outcome::ok, from});
  if (const auto* one = get_if<ConsumeResponse>(&message); isAnswer(one))
    endRequest(ctx, {one->outcome, from, no_server, no_server, one->record});
}

}  // namespace

void stepClient(const Context& ctx, const Input& input) {
  if (holds_alternative<V::Start>(input)) ctx.node.client.emplace();
  if (const auto* asked = get_if<V::Asked>(&input)) return onAsked(ctx, asked->request);
  if (const auto* received = get_if<V::Received>(&input); received && received->link == metadata_link)
    return onReceived(ctx, received->from, received->message);
  if (const auto own = inputOfZooKeeper(input)) stepZooKeeper(ctx, *own);
}

}  // namespace zablab::kafka
