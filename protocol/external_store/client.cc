// A client: it asks the store who leads, and that candidate to write.
#include "protocol/external_store/context.h"

namespace zablab::external_store {
namespace {

void forgetLeader(const Context& ctx) {
  Client& client = *ctx.node.client;
  if (client.leader) ctx.disconnect(client_link, *client.leader);
  client.leader.reset();
  client.connected = client.sent = false;
}

void finish(const Context& ctx, Outcome outcome) {
  Client& client = *ctx.node.client;
  if (!client.request) return;
  ctx.emit(Answered{client.request->operation, client.request->number, outcome,
                    client.leader.value_or(no_server)});
  ctx.cancel(TimerKind::answer_limit);
  ctx.cancel(TimerKind::client_retry);
  client.request.reset();
  client.sent = false;
}

void advance(const Context& ctx) {
  Client& client = *ctx.node.client;
  if (!client.request || client.sent || client.looking) return;
  if (client.leader) {
    if (!client.connected) return ctx.connect(client_link, *client.leader);
    client.sent = true;
    return ctx.send(client_link, *client.leader, Ask{client.request->number, client.request->operation});
  }
  if (!client.at_store) return ctx.connect(store_link, storeOf(ctx));
  client.looking = true;
  ctx.send(store_link, storeOf(ctx), TxnRequest{{{}, {whoLeads(ctx.rules)}, {}}});
}

void retryLater(const Context& ctx) {
  if (ctx.node.client->request) ctx.set(TimerKind::client_retry, ctx.config.client_retry_ms);
}

void onConnectionOver(const Context& ctx, Link link, ServerId peer) {
  Client& client = *ctx.node.client;
  if (link == store_link) {
    client.at_store = client.looking = false;
    client.turn = ctx.config.nextTurn(client.turn);
    return retryLater(ctx);
  }
  if (peer != client.leader) return;
  if (client.sent) finish(ctx, Outcome::unknown);
  forgetLeader(ctx);
  retryLater(ctx);
}

void onMessage(const Context& ctx, ServerId from, const Message& message) {
  Client& client = *ctx.node.client;
  if (const auto* reply = std::get_if<TxnReply>(&message)) {
    if (!client.looking) return;
    client.looking = false;
    const auto leader = leaderAmong(reply->found);
    if (!leader) return retryLater(ctx);
    client.leader = leader->value;
    advance(ctx);
  } else if (const auto* answer = std::get_if<Answer>(&message)) {
    if (!client.request || from != client.leader || answer->number != client.request->number) return;
    if (answer->outcome != Outcome::refused) return finish(ctx, answer->outcome);
    forgetLeader(ctx);
    retryLater(ctx);
  }
}

}  // namespace

void stepClient(const Context& ctx, const Input& input) {
  if (std::holds_alternative<V::Start>(input)) return;
  Client& client = *ctx.node.client;
  if (const auto* asked = std::get_if<V::Asked>(&input)) {
    if (client.request) {
      ctx.emit(Answered{asked->request.operation, asked->request.number, Outcome::refused, no_server});
      return;
    }
    client.request = asked->request;
    ctx.set(TimerKind::answer_limit, ctx.config.answer_limit_ms);
    advance(ctx);
  } else if (const auto* connected = std::get_if<V::Connected>(&input)) {
    if (connected->link == store_link) client.at_store = true;
    if (connected->link == client_link && connected->peer == client.leader) client.connected = true;
    advance(ctx);
  } else if (const auto* refused = std::get_if<V::Refused>(&input)) {
    onConnectionOver(ctx, refused->link, refused->peer);
  } else if (const auto* closed = std::get_if<V::Disconnected>(&input)) {
    onConnectionOver(ctx, closed->link, closed->peer);
  } else if (const auto* received = std::get_if<V::Received>(&input)) {
    if (!received->late) onMessage(ctx, received->from, received->message);
  } else if (const auto* fired = std::get_if<V::Fired>(&input)) {
    if (fired->timer.kind == TimerKind::client_retry) return advance(ctx);
    if (fired->timer.kind != TimerKind::answer_limit) return;
    finish(ctx, client.sent ? Outcome::unknown : Outcome::refused);
    if (client.looking && ctx.config.isReplicated()) {
      ctx.disconnect(store_link, storeOf(ctx));
      onConnectionOver(ctx, store_link, storeOf(ctx));
    }
    forgetLeader(ctx);  // an answer that still arrives belongs to no request
  }
}

}  // namespace zablab::external_store
