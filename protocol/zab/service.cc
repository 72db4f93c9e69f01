#include "protocol/zab/service.h"

#include <algorithm>

#include "protocol/zab/broadcast.h"

namespace zablab::zab {
namespace {

bool isWrite(Operation operation) {
  return operation == Operation::put || operation == Operation::open_session ||
         operation == Operation::close_session;
}

Operation operationOf(TxnKind kind) {
  switch (kind) {
    case TxnKind::open_session: return Operation::open_session;
    case TxnKind::close_session: return Operation::close_session;
    case TxnKind::put: break;
  }
  return Operation::put;
}

/// The value that was put last, as far as this server has come.
std::int64_t valueHere(const Node& node) {
  const auto last = std::find_if(node.history.rbegin(), node.history.rend(),
                                 [](const Txn& txn) { return txn.kind == TxnKind::put; });
  return last == node.history.rend() ? 0 : last->value;
}

void answer(const Context& in, ServerId client, const Waiting& request, Zxid zxid) {
  Answer answer{request.operation, request.number, zxid, std::nullopt};
  if (request.operation == Operation::read) answer.value = valueHere(in.node);
  in.send(client_link, client, answer);
}

/// Calls the client of another server, to answer it.
void answerElsewhere(const Context& in, const Txn& txn) {
  in.node.owed[txn.client].push_back({operationOf(txn.kind), txn.number, txn.zxid, std::nullopt});
  in.connect(client_link, txn.client);
}

/// Answers what no longer has to wait.
void answerReady(const Context& in, ServerId client) {
  auto& waiting = in.node.clients.at(client);
  while (!waiting.empty() && (waiting.front().operation == Operation::read || waiting.front().done)) {
    answer(in, client, waiting.front(), in.node.last_processed);
    waiting.erase(waiting.begin());
  }
}

}  // namespace

Txn txnOf(Operation operation, std::int64_t value, ServerId client, std::int64_t number) {
  const TxnKind kind = operation == Operation::open_session    ? TxnKind::open_session
                       : operation == Operation::close_session ? TxnKind::close_session
                                                               : TxnKind::put;
  return {{}, kind, value, client, number};
}

void onClientHello(const Context& in, ServerId client, const ClientHello& hello) {
  if (!in.node.serves()) return in.disconnect(client_link, client);
  if (hello.last_seen > in.node.last_processed && in.rules.last_seen == LastSeen::checked) {
    in.emit(ClientRefused{client, hello.last_seen, in.node.last_processed});
    return in.disconnect(client_link, client);
  }
  in.node.clients[client].clear();
}

void onClientRequest(const Context& in, ServerId client, const ClientRequest& request) {
  Node& node = in.node;
  const auto found = node.clients.find(client);
  if (found == node.clients.end() || node.log_failed) return;
  const bool leads = node.role == Role::LEADING;
  if (request.operation == Operation::read && in.rules.answers == Answers::reads_at_once)
    return answer(in, client, {request.operation, request.number}, node.last_processed);
  // On the leader itself a sync waits for nothing but the client's own earlier requests.
  const bool done =
      request.operation == Operation::sync && (leads || in.rules.client_sync == ClientSync::at_once);
  found->second.push_back({request.operation, request.number, done});
  if (request.operation == Operation::read || done) return answerReady(in, client);
  if (leads) {
    propose(in, txnOf(request.operation, request.value, client, request.number));
  } else {
    in.send(learner_link, *node.leader, Forwarded{request.operation, request.value, client, request.number});
  }
}

void onWriteAsked(const Context& in, const Request& request) {
  const Node& node = in.node;
  if (node.role != Role::LEADING || !node.serves() || node.log_failed || !isWrite(request.operation)) return;
  propose(in, txnOf(request.operation, request.value, no_server, request.number));
}

void onAnswerConnected(const Context& in, ServerId client) {
  const auto found = in.node.owed.find(client);
  if (found == in.node.owed.end()) return;
  for (const Answer& answer : found->second) in.send(client_link, client, answer);
  in.node.owed.erase(found);
  in.disconnect(client_link, client);
}

void onAnswerRefused(const Context& in, ServerId client) { in.node.owed.erase(client); }

void onClientGone(const Context& in, ServerId client) { in.node.clients.erase(client); }

void onSyncDone(const Context& in, const SyncDone& done) {
  const auto found = in.node.clients.find(done.client);
  if (found == in.node.clients.end()) return;
  for (Waiting& waiting : found->second) {
    if (waiting.operation == Operation::sync && waiting.number == done.number) waiting.done = true;
  }
  answerReady(in, done.client);
}

void answerWrite(const Context& in, const Txn& txn) {
  const bool by_leader = in.rules.answered_by == AnsweredBy::leader;
  const bool leads = in.node.role == Role::LEADING;
  const auto found = in.node.clients.find(txn.client);
  if (found == in.node.clients.end()) {
    if (by_leader && leads && txn.client != no_server) answerElsewhere(in, txn);
    return;
  }
  if (found->second.empty()) return;
  const Waiting first = found->second.front();
  const bool its_own = first.number == txn.number || in.rules.answers == Answers::oldest_write;
  if (!isWrite(first.operation) || !its_own) return;
  found->second.erase(found->second.begin());
  if (!by_leader || leads) answer(in, txn.client, first, txn.zxid);
  answerReady(in, txn.client);
}

void dropClients(const Context& in) {
  for (const auto& [client, waiting] : std::exchange(in.node.clients, {})) in.disconnect(client_link, client);
}

}  // namespace zablab::zab
