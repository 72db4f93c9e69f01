#include "protocol/kafka/client.h"

#include <string>

namespace zablab::kafka {
namespace {

void endRequest(const Context& ctx, Outcome outcome, ServerId broker, const MetadataResponse& response) {
  Client& client = *ctx.node.client;
  if (!client.asked) return;
  ctx.emit(MetadataAnswered{*client.asked, outcome, broker, response.controller, response.leader});
  client.asked.reset();
}

void onAsked(const Context& ctx, const Request& request) {
  Client& client = *ctx.node.client;
  switch (request.operation) {
    case Operation::connect: client.server = request.server; return;
    case Operation::metadata:
      endRequest(ctx, Outcome::unanswered, client.server, {});
      client.asked = request.number;
      for (const ServerId broker : ctx.config.brokers) {
        if (client.server == no_server || client.server == broker)
          ctx.send(metadata_link, broker, MetadataRequest{request.number});
      }
      return;
    case Operation::delete_controller:
      if (ctx.node.zookeeper.client->state == zookeeper::ClientState::CLOSED) connectToZooKeeper(ctx);
      askZooKeeper(ctx, request.number,
                   {{.code = zookeeper::OpCode::remove, .path = std::string(controller_path)}});
      return;
  }
}

void onReceived(const Context& ctx, ServerId from, const Message& message) {
  const Client& client = *ctx.node.client;
  const auto* response = std::get_if<MetadataResponse>(&message);
  if (response == nullptr || client.asked != response->number) return;
  if (client.server != no_server && client.server != from) return;
  // If it asks all, another one may know.
  if (client.server == no_server && response->controller == no_server) return;
  endRequest(ctx, response->controller == no_server ? Outcome::no_controller : Outcome::ok, from, *response);
}

}  // namespace

void stepClient(const Context& ctx, const Input& input) {
  if (std::holds_alternative<V::Start>(input)) ctx.node.client.emplace();
  if (const auto* asked = std::get_if<V::Asked>(&input)) return onAsked(ctx, asked->request);
  if (const auto* received = std::get_if<V::Received>(&input); received && received->link == metadata_link)
    return onReceived(ctx, received->from, received->message);
  if (const auto own = inputOfZooKeeper(input)) stepZooKeeper(ctx, *own);
}

}  // namespace zablab::kafka
