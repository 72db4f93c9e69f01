#include "protocol/zab_register/client.h"

#include <algorithm>

namespace zablab::zab {
namespace {

void say(const Context& in, const Request& request) {
  in.send(client_link, *in.node.client->server,
          ClientRequest{request.operation, request.value, request.number});
}

/// Everything that waits for an answer ends without one.
void giveUp(const Context& in, Outcome outcome) {
  Client& client = *in.node.client;
  client.connected = false;
  for (const Request& request : std::exchange(client.waiting, {})) {
    in.emit(Answered{request.operation, request.number, outcome, {}, std::nullopt});
  }
}

/// There is no connection, or none any more.
void onLost(const Context& in, Outcome outcome) {
  if (in.rules.unanswered == Unanswered::ends) return giveUp(in, outcome);
  in.node.client->connected = false;
}

void turnTo(const Context& in, ServerId server) {
  Client& client = *in.node.client;
  if (client.server == server) return;
  if (client.server) in.disconnect(client_link, *client.server);
  onLost(in, client.connected ? Outcome::unknown : Outcome::not_sent);
  client.server = server;
  in.connect(client_link, server);
}

void onAsked(const Context& in, const Request& request) {
  Client& client = *in.node.client;
  if (request.operation == Operation::connect) return turnTo(in, request.server);
  client.waiting.push_back(request);
  if (client.connected) return say(in, request);
  if (!client.server) return giveUp(in, Outcome::not_sent);
  in.connect(client_link, *client.server);
}

void onConnected(const Context& in) {
  Client& client = *in.node.client;
  client.connected = true;
  in.send(client_link, *client.server, ClientHello{client.last_seen});
  for (const Request& request : client.waiting) say(in, request);
}

void onAnswer(const Context& in, const Answer& answer) {
  Client& client = *in.node.client;
  const auto asked = std::find_if(client.waiting.begin(), client.waiting.end(),
                                  [&](const Request& request) { return request.number == answer.number; });
  if (asked == client.waiting.end()) return;
  client.waiting.erase(asked);
  client.last_seen = std::max(client.last_seen, answer.zxid);
  in.emit(Answered{answer.operation, answer.number, Outcome::ok, answer.zxid, answer.value});
}

}  // namespace

void stepClient(const Context& in, const Input& input) {
  if (std::holds_alternative<V::Start>(input)) {
    in.node.client.emplace();
  } else if (const auto* asked = std::get_if<V::Asked>(&input)) {
    onAsked(in, asked->request);
  } else if (std::holds_alternative<V::Connected>(input)) {
    onConnected(in);
  } else if (std::holds_alternative<V::Refused>(input)) {
    onLost(in, Outcome::not_sent);
  } else if (const auto* closed = std::get_if<V::Disconnected>(&input)) {
    if (closed->peer == in.node.client->server) onLost(in, Outcome::unknown);
  } else if (const auto* received = std::get_if<V::Received>(&input)) {
    if (const auto* answer = std::get_if<Answer>(&received->message)) onAnswer(in, *answer);
  }
}

}  // namespace zablab::zab
