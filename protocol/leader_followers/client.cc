#include "protocol/leader_followers/client.h"

#include <algorithm>

namespace zablab::leader_followers {
namespace {

struct ClientContext : Context {
  std::optional<Client>& client;
};

void finish(const ClientContext& ctx, Outcome outcome, Index index = 0, std::int64_t value = 0) {
  Client& client = *ctx.client;
  if (!client.request) return;
  ctx.emit(Answered{client.request->operation, client.request->number, outcome, index, value});
  ctx.cancelTimer(TimerKind::answer_limit);
  ctx.cancelTimer(TimerKind::client_retry);
  client.request.reset();
  client.sent = false;
}

void leave(const ClientContext& ctx) {
  Client& client = *ctx.client;
  if (client.server) ctx.disconnect(client_link, *client.server);
  client.connected = false;
}

void ask(const ClientContext& ctx) {
  Client& client = *ctx.client;
  if (!client.connected) return ctx.connect(client_link, *client.server);
  client.sent = true;
  ctx.send(client_link, *client.server,
           ClientRequest{client.request->operation, client.request->value, client.request->number});
}

/// The request was not accepted there.
void askNextLater(const ClientContext& ctx) {
  Client& client = *ctx.client;
  leave(ctx);
  client.sent = false;
  const auto& members = ctx.config.members;
  const auto at = std::find(members.begin(), members.end(), *client.server);
  client.server = at == members.end() || at + 1 == members.end() ? members.front() : *(at + 1);
  ctx.setTimer(TimerKind::client_retry, ctx.config.client_retry_ms);
}

void onAsked(const ClientContext& ctx, const Request& request) {
  Client& client = *ctx.client;
  if (request.operation == Operation::connect) {
    finish(ctx, client.sent ? Outcome::unknown : Outcome::refused);
    leave(ctx);
    client.server = request.server;
    return ctx.connect(client_link, request.server);
  }
  if (client.request) {
    ctx.emit(Answered{request.operation, request.number, Outcome::refused, 0, 0});
    return;
  }
  if (!client.server) client.server = ctx.config.members.front();
  client.request = request;
  ctx.setTimer(TimerKind::answer_limit, ctx.config.answer_limit_ms);
  ask(ctx);
}

void onConnected(const ClientContext& ctx) {
  ctx.client->connected = true;
  if (ctx.client->request) ask(ctx);
}

void onReply(const ClientContext& ctx, const Reply& reply) {
  const Client& client = *ctx.client;
  if (!client.request || client.request->number != reply.number) return;
  if (reply.outcome == Outcome::refused) return askNextLater(ctx);
  finish(ctx, reply.outcome, reply.index, reply.value);
}

void onTimer(const ClientContext& ctx, TimerKind kind) {
  Client& client = *ctx.client;
  if (kind == TimerKind::client_retry) return client.request ? ask(ctx) : void();
  if (kind != TimerKind::answer_limit) return;
  finish(ctx, client.sent ? Outcome::unknown : Outcome::refused);
  leave(ctx);  // an answer that still arrives belongs to no request
}

}  // namespace

void stepClient(const Context& base, std::optional<Client>& client_of, const Input& input) {
  const ClientContext ctx{base, client_of};
  if (holds_alternative<V::Start>(input)) {
    ctx.client.emplace();
    return;
  }
  Client& client = *ctx.client;
  if (const auto* asked = get_if<V::Asked>(&input)) {
    onAsked(ctx, asked->request);
  } else if (const auto* connected = get_if<V::Connected>(&input)) {
    if (connected->peer == client.server) onConnected(ctx);
  } else if (const auto* refused = get_if<V::Refused>(&input)) {
    if (refused->peer == client.server && client.request) askNextLater(ctx);
  } else if (const auto* closed = get_if<V::Disconnected>(&input)) {
    if (closed->peer != client.server) return;
    client.connected = false;
    if (client.sent) return finish(ctx, Outcome::unknown);
    if (client.request) askNextLater(ctx);
  } else if (const auto* received = get_if<V::Received>(&input)) {
    if (const auto* reply = get_if<Reply>(&received->message)) onReply(ctx, *reply);
  } else if (const auto* fired = get_if<V::Fired>(&input)) {
    onTimer(ctx, fired->timer.kind);
  }
}

}  // namespace zablab::leader_followers
