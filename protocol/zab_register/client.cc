#include "protocol/zab_register/client.h"

#include <algorithm>

namespace zablab::zab {
namespace {

void say(const Context& ctx, const Request& request) {
  ctx.send(client_link, *ctx.node.client->server,
           ClientRequest{request.operation, request.value, request.number});
}

/// All requests that wait for an answer end without one.
void giveUp(const Context& ctx, Outcome outcome) {
  Client& client = *ctx.node.client;
  client.connected = false;
  for (const Request& request : std::exchange(client.waiting, {})) {
    ctx.emit(Answered{request.operation, request.number, outcome, {}, std::nullopt});
  }
}

/// There is no connection, or no longer one.
void onLost(const Context& ctx, Outcome outcome) {
  if (ctx.rules.unanswered == Unanswered::ends) return giveUp(ctx, outcome);
  ctx.node.client->connected = false;
}

void turnTo(const Context& ctx, ServerId server) {
  Client& client = *ctx.node.client;
  if (client.server == server) return;
  if (client.server) ctx.disconnect(client_link, *client.server);
  onLost(ctx, client.connected ? Outcome::unknown : Outcome::not_sent);
  client.server = server;
  ctx.connect(client_link, server);
}

void onAsked(const Context& ctx, const Request& request) {
  Client& client = *ctx.node.client;
  if (request.operation == Operation::connect) return turnTo(ctx, request.server);
  client.waiting.push_back(request);
  if (client.connected) return say(ctx, request);
  if (!client.server) return giveUp(ctx, Outcome::not_sent);
  ctx.connect(client_link, *client.server);
}

void onConnected(const Context& ctx) {
  Client& client = *ctx.node.client;
  client.connected = true;
  ctx.send(client_link, *client.server, ClientHello{client.last_seen});
  for (const Request& request : client.waiting) say(ctx, request);
}

void onReply(const Context& ctx, const Reply& reply) {
  Client& client = *ctx.node.client;
  const auto asked = std::find_if(client.waiting.begin(), client.waiting.end(),
                                  [&](const Request& request) { return request.number == reply.number; });
  if (asked == client.waiting.end()) return;
  client.waiting.erase(asked);
  client.last_seen = std::max(client.last_seen, reply.zxid);
  ctx.emit(Answered{reply.operation, reply.number, Outcome::ok, reply.zxid, reply.value});
}

}  // namespace

void stepClient(const Context& ctx, const Input& input) {
  if (holds_alternative<V::Start>(input)) {
    ctx.node.client.emplace();
  } else if (const auto* asked = get_if<V::Asked>(&input)) {
    onAsked(ctx, asked->request);
  } else if (holds_alternative<V::Connected>(input)) {
    onConnected(ctx);
  } else if (holds_alternative<V::Refused>(input)) {
    onLost(ctx, Outcome::not_sent);
  } else if (const auto* closed = get_if<V::Disconnected>(&input)) {
    if (closed->peer == ctx.node.client->server) onLost(ctx, Outcome::unknown);
  } else if (const auto* received = get_if<V::Received>(&input)) {
    if (const auto* reply = get_if<Reply>(&received->message)) onReply(ctx, *reply);
  }
}

}  // namespace zablab::zab
