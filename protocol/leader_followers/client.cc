#include "protocol/leader_followers/client.h"

#include <algorithm>

namespace zablab::leader_followers {
namespace {

void finish(const Context& in, Outcome outcome, Index index = 0, std::int64_t value = 0) {
  Client& client = *in.node.client;
  if (!client.request) return;
  in.emit(Answered{client.request->operation, client.request->number, outcome, index, value});
  in.cancelTimer(TimerKind::answer_limit);
  in.cancelTimer(TimerKind::client_retry);
  client.request.reset();
  client.sent = false;
}

void leave(const Context& in) {
  Client& client = *in.node.client;
  if (client.server) in.disconnect(client_link, *client.server);
  client.connected = false;
}

void ask(const Context& in) {
  Client& client = *in.node.client;
  if (!client.connected) return in.connect(client_link, *client.server);
  client.sent = true;
  in.send(client_link, *client.server,
          ClientRequest{client.request->operation, client.request->value, client.request->number});
}

/// Nobody accepted the request there.
void askNextLater(const Context& in) {
  Client& client = *in.node.client;
  leave(in);
  client.sent = false;
  const auto& members = in.config.members;
  const auto at = std::find(members.begin(), members.end(), *client.server);
  client.server = at == members.end() || at + 1 == members.end() ? members.front() : *(at + 1);
  in.setTimer(TimerKind::client_retry, in.config.client_retry_ms);
}

void onAsked(const Context& in, const Request& request) {
  Client& client = *in.node.client;
  if (request.operation == Operation::connect) {
    finish(in, client.sent ? Outcome::unknown : Outcome::refused);
    leave(in);
    client.server = request.server;
    return in.connect(client_link, request.server);
  }
  if (client.request) {
    in.emit(Answered{request.operation, request.number, Outcome::refused, 0, 0});
    return;
  }
  if (!client.server) client.server = in.config.members.front();
  client.request = request;
  in.setTimer(TimerKind::answer_limit, in.config.answer_limit_ms);
  ask(in);
}

void onConnected(const Context& in) {
  in.node.client->connected = true;
  if (in.node.client->request) ask(in);
}

void onAnswer(const Context& in, const Answer& answer) {
  const Client& client = *in.node.client;
  if (!client.request || client.request->number != answer.number) return;
  if (answer.outcome == Outcome::refused) return askNextLater(in);
  finish(in, answer.outcome, answer.index, answer.value);
}

void onTimer(const Context& in, TimerKind kind) {
  Client& client = *in.node.client;
  if (kind == TimerKind::client_retry) return client.request ? ask(in) : void();
  if (kind != TimerKind::answer_limit) return;
  finish(in, client.sent ? Outcome::unknown : Outcome::refused);
  leave(in);  // an answer that comes yet is nobody's
}

}  // namespace

void stepClient(const Context& in, const Input& input) {
  if (std::holds_alternative<V::Start>(input)) {
    in.node.client.emplace();
    return;
  }
  Client& client = *in.node.client;
  if (const auto* asked = std::get_if<V::Asked>(&input)) {
    onAsked(in, asked->request);
  } else if (const auto* connected = std::get_if<V::Connected>(&input)) {
    if (connected->peer == client.server) onConnected(in);
  } else if (const auto* refused = std::get_if<V::Refused>(&input)) {
    if (refused->peer == client.server && client.request) askNextLater(in);
  } else if (const auto* closed = std::get_if<V::Disconnected>(&input)) {
    if (closed->peer != client.server) return;
    client.connected = false;
    if (client.sent) return finish(in, Outcome::unknown);
    if (client.request) askNextLater(in);
  } else if (const auto* received = std::get_if<V::Received>(&input)) {
    if (const auto* answer = std::get_if<Answer>(&received->message)) onAnswer(in, *answer);
  } else if (const auto* fired = std::get_if<V::Fired>(&input)) {
    onTimer(in, fired->timer.kind);
  }
}

}  // namespace zablab::leader_followers
