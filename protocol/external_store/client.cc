// A client: it asks the store who leads, and that candidate to write. A read ends with the store's answer,
// and neither waits for the other.
#include <algorithm>

#include "protocol/external_store/context.h"

namespace zablab::external_store {
namespace {

/// Which limit on waiting a timer measures.
enum : std::int64_t { of_request, of_read };

void forgetLeader(const Context& ctx) {
  Client& client = *ctx.node.client;
  if (client.leader) ctx.disconnect(client_link, *client.leader);
  client.leader.reset();
  client.connected = client.sent = false;
}

void closeStore(const Context& ctx) {
  Client& client = *ctx.node.client;
  ctx.disconnect(store_link, storeOf(ctx));
  client.at_store = client.looking = false;
}

void conclude(const Context& ctx, const Answered& answered, std::int64_t limit) {
  const Client& client = *ctx.node.client;
  ctx.emit(answered);
  ctx.cancel(TimerKind::answer_limit, limit);
  if (!client.request && !client.read) ctx.cancel(TimerKind::client_retry);
}

void finish(const Context& ctx, Outcome outcome) {
  Client& client = *ctx.node.client;
  if (!client.request) return;
  const Request done = *client.request;
  client.request.reset();
  client.sent = false;
  conclude(ctx, {done.operation, done.number, outcome, client.leader.value_or(no_server)}, of_request);
}

/// It was sent, and no answer has come.
void finishUnanswered(const Context& ctx) {
  finish(ctx, ctx.rules.no_answer == NoAnswer::unknown ? Outcome::unknown : Outcome::refused);
}

void finishRead(const Context& ctx, Answered answered) {
  Client& client = *ctx.node.client;
  answered.operation = Operation::read;
  answered.number = client.read->number;
  client.read.reset();
  conclude(ctx, answered, of_read);
}

/// What has to be asked next.
void advance(const Context& ctx) {
  Client& client = *ctx.node.client;
  bool asks = client.read.has_value();
  if (client.request && !client.sent) {
    if (!client.leader) {
      asks = true;
    } else if (!client.connected) {
      ctx.connect(client_link, *client.leader);
    } else {
      client.sent = true;
      ctx.send(client_link, *client.leader, Ask{client.request->number, client.request->operation});
    }
  }
  if (!asks || client.looking) return;
  if (!client.at_store) return ctx.connect(store_link, storeOf(ctx));
  client.looking = true;
  client.reading = client.read.has_value();
  ctx.send(store_link, storeOf(ctx),
           TxnRequest{{{}, {whoLeads(ctx.rules)}, {}}, ctx.rules.store_read == StoreRead::local});
}

void retryLater(const Context& ctx) {
  const Client& client = *ctx.node.client;
  if (client.request || client.read) ctx.set(TimerKind::client_retry, ctx.config.client_retry_ms);
}

void onConnectionOver(const Context& ctx, Link link, ServerId peer) {
  Client& client = *ctx.node.client;
  if (link == store_link) {
    client.at_store = client.looking = false;
    client.turn = ctx.config.nextTurn(client.turn);
    return retryLater(ctx);
  }
  if (peer != client.leader) return;
  if (client.sent) finishUnanswered(ctx);
  forgetLeader(ctx);
  retryLater(ctx);
}

void onStoreAnswer(const Context& ctx, ServerId store, const std::optional<KeyValue>& leader) {
  Client& client = *ctx.node.client;
  if (!client.looking) return;
  client.looking = false;
  // What was asked before a read was tells nothing about the time since then.
  if (client.read && client.reading) {
    Answered answered{.outcome = Outcome::ok, .server = store};
    if (leader) {
      answered.holder = leader->value;
      answered.token = leader->create_revision;
    }
    finishRead(ctx, answered);
  }
  if (client.request && !client.leader) {
    if (!leader) return retryLater(ctx);
    client.leader = leader->value;
  }
  advance(ctx);
}

void onMessage(const Context& ctx, ServerId from, const Message& message) {
  Client& client = *ctx.node.client;
  if (const auto* reply = get_if<TxnReply>(&message)) {
    onStoreAnswer(ctx, from, leaderAmong(reply->found));
  } else if (const auto* answer = get_if<Answer>(&message)) {
    if (!client.request || from != client.leader || answer->number != client.request->number) return;
    if (answer->outcome != Outcome::refused) return finish(ctx, answer->outcome);
    forgetLeader(ctx);
    retryLater(ctx);
  }
}

void onClientAsked(const Context& ctx, const Request& request) {
  Client& client = *ctx.node.client;
  const bool reads = request.operation == Operation::read;
  std::optional<Request>& place = reads ? client.read : client.request;
  if (place) return ctx.emit(Answered{request.operation, request.number, Outcome::refused, no_server});
  place = request;
  ctx.set(TimerKind::answer_limit, ctx.config.answer_limit_ms, reads ? of_read : of_request);
  const auto& stores = ctx.config.stores;
  const auto at = std::find(stores.begin(), stores.end(), request.store);
  if (at != stores.end() && *at != storeOf(ctx)) {
    closeStore(ctx);
    client.turn = at - stores.begin();
  }
  advance(ctx);
}

void onAnswerLimit(const Context& ctx, std::int64_t which) {
  Client& client = *ctx.node.client;
  if (which == of_read) {
    finishRead(ctx, {.outcome = Outcome::refused});
    client.reading = false;  // an answer that still arrives belongs to no read
  } else {
    client.sent ? finishUnanswered(ctx) : finish(ctx, Outcome::refused);
  }
  if (client.looking && ctx.config.isReplicated()) {
    closeStore(ctx);
    onConnectionOver(ctx, store_link, storeOf(ctx));
  }
  if (which == of_request) forgetLeader(ctx);  // an answer that still arrives belongs to no request
}

}  // namespace

void stepClient(const Context& ctx, const Input& input) {
  Client& client = *ctx.node.client;
  if (const auto* asked = get_if<V::Asked>(&input)) {
    onClientAsked(ctx, asked->request);
  } else if (const auto* connected = get_if<V::Connected>(&input)) {
    if (connected->link == store_link) client.at_store = true;
    if (connected->link == client_link && connected->peer == client.leader) client.connected = true;
    advance(ctx);
  } else if (const auto* refused = get_if<V::Refused>(&input)) {
    onConnectionOver(ctx, refused->link, refused->peer);
  } else if (const auto* closed = get_if<V::Disconnected>(&input)) {
    onConnectionOver(ctx, closed->link, closed->peer);
  } else if (const auto* received = get_if<V::Received>(&input)) {
    if (!received->late) onMessage(ctx, received->from, received->message);
  } else if (const auto* fired = get_if<V::Fired>(&input)) {
    if (fired->timer.kind == TimerKind::client_retry) return advance(ctx);
    if (fired->timer.kind == TimerKind::answer_limit) onAnswerLimit(ctx, fired->timer.key.id);
  }
}

}  // namespace zablab::external_store
