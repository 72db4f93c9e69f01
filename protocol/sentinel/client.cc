#include "protocol/sentinel/client.h"

#include <algorithm>

namespace zablab::sentinel {
namespace {

void leaveSentinel(const Context& ctx) {
  ctx.disconnect(client_link, ctx.client().sentinel);
  ctx.client().asks = false;
}

void forgetMaster(const Context& ctx) {
  Client& client = ctx.client();
  if (client.master) ctx.disconnect(client_link, *client.master);
  client.master.reset();
  client.connected = false;
}

void finish(const Context& ctx, Outcome outcome, std::int64_t offset = 0, std::int64_t value = 0) {
  Client& client = ctx.client();
  if (!client.request) return;
  const ServerId server = outcome == Outcome::ok ? *client.master : no_server;
  ctx.emit(Answered{client.request->operation, client.request->number, outcome, server, offset, value});
  ctx.cancelTimer(TimerKind::answer_limit);
  ctx.cancelTimer(TimerKind::client_retry);
  client.request.reset();
  client.sent = false;
}

void proceed(const Context& ctx) {
  Client& client = ctx.client();
  if (!client.request || client.sent) return;
  if (!client.master) {
    if (!client.asks) return ctx.connect(client_link, client.sentinel);
    return ctx.send(client_link, client.sentinel, GetMaster{});
  }
  if (!client.connected) return ctx.connect(client_link, *client.master);
  client.sent = true;
  const std::int64_t number = client.request->number;
  if (client.request->operation == Operation::read)
    return ctx.send(client_link, *client.master, ReadRequest{number});
  ctx.send(client_link, *client.master, WriteRequest{number});
}

void retryLater(const Context& ctx) {
  if (ctx.client().request) ctx.setTimer(TimerKind::client_retry, ctx.config.client_retry_ms);
}

void askNextSentinel(const Context& ctx) {
  Client& client = ctx.client();
  const auto& all = ctx.config.sentinels;
  leaveSentinel(ctx);
  const auto at = std::find(all.begin(), all.end(), client.sentinel);
  client.sentinel = at == all.end() || at + 1 == all.end() ? all.front() : *(at + 1);
  retryLater(ctx);
}

void onAsked(const Context& ctx, const Request& request) {
  Client& client = ctx.client();
  if (client.request) {
    ctx.emit(Answered{request.operation, request.number, Outcome::refused, no_server, 0, 0});
    return;
  }
  client.request = request;
  ctx.setTimer(TimerKind::answer_limit, ctx.config.answer_limit_ms);
  if (request.server != no_server && client.master != request.server) {
    forgetMaster(ctx);
    client.master = request.server;
  }
  proceed(ctx);
}

bool isExpected(const Context& ctx, ServerId from, Operation operation, std::int64_t number) {
  const Client& client = ctx.client();
  return client.request && from == client.master && client.request->operation == operation &&
         client.request->number == number;
}

/// The server is not the master, or accepts nothing.
void onRefusal(const Context& ctx) {
  Client& client = ctx.client();
  client.sent = false;
  if (client.request->server != no_server) return finish(ctx, Outcome::refused);
  forgetMaster(ctx);
  retryLater(ctx);
}

void onReply(const Context& ctx, ServerId from, const WriteReply& reply) {
  if (!isExpected(ctx, from, Operation::write, reply.number)) return;
  reply.result == WriteResult::ok ? finish(ctx, Outcome::ok, reply.offset) : onRefusal(ctx);
}

/// A replica is read only if the client was instructed to read there.
void onReply(const Context& ctx, ServerId from, const ReadReply& reply) {
  if (!isExpected(ctx, from, Operation::read, reply.number)) return;
  const bool accepted =
      reply.master || from == ctx.client().request->server || ctx.rules.read_at == ReadAt::anyone;
  accepted ? finish(ctx, Outcome::ok, reply.offset, reply.value) : onRefusal(ctx);
}

void onConnected(const Context& ctx, ServerId peer) {
  Client& client = ctx.client();
  if (peer == client.master) client.connected = true;
  if (peer == client.sentinel) client.asks = true;
  proceed(ctx);
}

/// The connection ended, or was not made.
void onGone(const Context& ctx, ServerId peer) {
  Client& client = ctx.client();
  if (peer == client.sentinel) return askNextSentinel(ctx);
  if (peer != client.master) return;
  if (client.sent) finish(ctx, Outcome::unknown);
  forgetMaster(ctx);
  retryLater(ctx);
}

}  // namespace

void stepClient(const Context& ctx, const Input& input) {
  if (holds_alternative<V::Start>(input)) {
    ctx.node.client.emplace();
    ctx.client().sentinel = ctx.config.sentinels.front();
    return;
  }
  if (const auto* asked = get_if<V::Asked>(&input)) {
    onAsked(ctx, asked->request);
  } else if (const auto* connected = get_if<V::Connected>(&input)) {
    onConnected(ctx, connected->peer);
  } else if (const auto* refused = get_if<V::Refused>(&input)) {
    onGone(ctx, refused->peer);
  } else if (const auto* closed = get_if<V::Disconnected>(&input)) {
    onGone(ctx, closed->peer);
  } else if (const auto* received = get_if<V::Received>(&input)) {
    if (const auto* reply = get_if<WriteReply>(&received->message)) {
      onReply(ctx, received->from, *reply);
    } else if (const auto* read = get_if<ReadReply>(&received->message)) {
      onReply(ctx, received->from, *read);
    } else if (const auto* answer = get_if<MasterIs>(&received->message)) {
      if (received->from != ctx.client().sentinel || ctx.client().master) return;
      leaveSentinel(ctx);
      ctx.client().master = answer->master;
      proceed(ctx);
    }
  } else if (const auto* fired = get_if<V::Fired>(&input)) {
    if (fired->timer.kind == TimerKind::client_retry) return proceed(ctx);
    if (fired->timer.kind != TimerKind::answer_limit) return;
    finish(ctx, ctx.client().sent ? Outcome::unknown : Outcome::refused);
    forgetMaster(ctx);  // an answer that still arrives belongs to no request
    askNextSentinel(ctx);
  }
}

}  // namespace zablab::sentinel
