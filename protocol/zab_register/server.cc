// The server's end of a client's connection: requests and answers are in order. Writes and syncs are sent to
// the leader and are answered when this server has delivered them; reads are answered from this server's
// state.
#include <algorithm>
#include <utility>

#include "protocol/overloaded.h"
#include "protocol/zab/broadcast.h"
#include "protocol/zab_register/family.h"

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

/// The payload that a client's write puts into the log.
Write writeOf(const ClientRequest& request, ServerId client) {
  const TxnKind kind = request.operation == Operation::open_session    ? TxnKind::open_session
                       : request.operation == Operation::close_session ? TxnKind::close_session
                                                                       : TxnKind::put;
  return {kind, request.value, client, request.number};
}

void reply(const Context& ctx, ServerId client, const Waiting& request, Zxid zxid) {
  Reply reply{request.operation, request.number, zxid, std::nullopt};
  if (request.operation == Operation::read) reply.value = ctx.node.service.value;
  ctx.send(client_link, client, reply);
}

/// Requests a connection to the client of another server, to answer it.
void answerElsewhere(const Context& ctx, Zxid zxid, const Write& write) {
  ctx.node.owed[write.client].push_back({operationOf(write.kind), write.number, zxid, std::nullopt});
  ctx.connect(client_link, write.client);
}

/// Answers what no longer has to wait.
void answerReady(const Context& ctx, ServerId client) {
  auto& waiting = ctx.node.clients.at(client);
  while (!waiting.empty() && (waiting.front().operation == Operation::read || waiting.front().done)) {
    reply(ctx, client, waiting.front(), ctx.node.last_processed);
    waiting.erase(waiting.begin());
  }
}

void onClientHello(const Context& ctx, ServerId client, const ClientHello& hello) {
  if (!ctx.node.serves()) return ctx.disconnect(client_link, client);
  if (hello.last_seen > ctx.node.last_processed && ctx.rules.last_seen == LastSeen::checked) {
    ctx.emit(ClientRefused{client, hello.last_seen, ctx.node.last_processed});
    return ctx.disconnect(client_link, client);
  }
  ctx.node.clients[client].clear();
}

void onClientRequest(const Context& ctx, ServerId client, const ClientRequest& request) {
  Node& node = ctx.node;
  const auto found = node.clients.find(client);
  if (found == node.clients.end() || node.log_failed) return;
  const bool leads = node.role == Role::LEADING;
  if (request.operation == Operation::read && ctx.rules.answers == Answers::reads_at_once)
    return reply(ctx, client, {request.operation, request.number}, node.last_processed);
  // On the leader itself a sync waits for nothing but the client's own earlier requests.
  const bool done =
      request.operation == Operation::sync && (leads || ctx.rules.client_sync == ClientSync::at_once);
  found->second.push_back({request.operation, request.number, done});
  if (request.operation == Operation::read || done) return answerReady(ctx, client);
  if (leads) {
    propose(ctx, writeOf(request, client));
  } else {
    ctx.send(learner_link, *node.leader, Forwarded{request.operation, request.value, client, request.number});
  }
}

/// A connection to a client of another server, to answer it, is open.
void onAnswerConnected(const Context& ctx, ServerId client) {
  const auto found = ctx.node.owed.find(client);
  if (found == ctx.node.owed.end()) return;
  for (const Reply& reply : found->second) ctx.send(client_link, client, reply);
  ctx.node.owed.erase(found);
  ctx.disconnect(client_link, client);
}

void onSyncDone(const Context& ctx, const SyncDone& done) {
  const auto found = ctx.node.clients.find(done.client);
  if (found == ctx.node.clients.end()) return;
  for (Waiting& waiting : found->second) {
    if (waiting.operation == Operation::sync && waiting.number == done.number) waiting.done = true;
  }
  answerReady(ctx, done.client);
}

}  // namespace

void Register::onDelivered(const Context& ctx, const Txn& txn, const Applied&) {
  const Write& write = txn.payload;
  const bool by_leader = ctx.rules.answered_by == AnsweredBy::leader;
  const bool leads = ctx.node.role == Role::LEADING;
  const auto found = ctx.node.clients.find(write.client);
  if (found == ctx.node.clients.end()) {
    if (by_leader && leads && write.client != no_server) answerElsewhere(ctx, txn.zxid, write);
    return;
  }
  if (found->second.empty()) return;
  const Waiting first = found->second.front();
  const bool its_own = first.number == write.number || ctx.rules.answers == Answers::oldest_write;
  if (!isWrite(first.operation) || !its_own) return;
  found->second.erase(found->second.begin());
  if (!by_leader || leads) reply(ctx, write.client, first, txn.zxid);
  answerReady(ctx, write.client);
}

void Register::onCommitted(const Context& ctx, Zxid committed) {
  auto& syncs = ctx.node.pending_syncs;
  for (const PendingSync& sync : syncs) {
    if (sync.after <= committed) ctx.send(learner_link, sync.learner, SyncDone{sync.client, sync.number});
  }
  std::erase_if(syncs, [committed](const PendingSync& sync) { return sync.after <= committed; });
}

void Register::onFromLearner(const Context& ctx, ServerId learner, const Message& message) {
  const auto* asked = get_if<Forwarded>(&message);
  if (asked == nullptr) return;
  if (asked->operation != Operation::sync)
    return propose(ctx, writeOf({asked->operation, asked->value, asked->number}, asked->client));
  if (ctx.node.outstanding_proposals.empty()) {
    ctx.send(learner_link, learner, SyncDone{asked->client, asked->number});
  } else {
    ctx.node.pending_syncs.push_back({ctx.node.last_proposed, learner, asked->client, asked->number});
  }
}

void Register::onFromLeader(const Context& ctx, const Message& message) {
  if (const auto* done = get_if<SyncDone>(&message)) onSyncDone(ctx, *done);
}

void Register::onLearnerGone(const Context& ctx, ServerId learner) {
  std::erase_if(ctx.node.pending_syncs,
                [learner](const PendingSync& sync) { return sync.learner == learner; });
}

void Register::onRoleOver(const Context& ctx) {
  for (const auto& [client, waiting] : std::exchange(ctx.node.clients, {}))
    ctx.disconnect(client_link, client);
  ctx.node.owed.clear();
  ctx.node.pending_syncs.clear();
}

void Register::onOwnLink(const Context& ctx, const Input& input) {
  visit(Overloaded{
            [&](const V::Received& received) {
              if (received.late) return;
              if (const auto* hello = get_if<ClientHello>(&received.message))
                onClientHello(ctx, received.from, *hello);
              if (const auto* request = get_if<ClientRequest>(&received.message))
                onClientRequest(ctx, received.from, *request);
            },
            [&](const V::Connected& connected) { onAnswerConnected(ctx, connected.peer); },
            [&](const V::Refused& refused) { ctx.node.owed.erase(refused.peer); },
            [&](const V::Disconnected& closed) { ctx.node.clients.erase(closed.peer); },
            [&](const auto&) {},
        },
        input);
}

/// A write whose answer no client awaits, proposed if possible.
void Register::onAsked(const Context& ctx, const zab::Request& request) {
  const Node& node = ctx.node;
  if (node.role != Role::LEADING || !node.serves() || node.log_failed || !isWrite(request.operation)) return;
  propose(ctx, writeOf({request.operation, request.value, request.number}, no_server));
}

}  // namespace zablab::zab
