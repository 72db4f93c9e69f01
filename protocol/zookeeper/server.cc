// The server's end of a client's connection: requests and answers are in order. Writes and syncs go through
// the leader and are answered when this server has applied them; reads are answered from this server's tree.
// What a client watches is reported before any answer that shows the change.
#include <algorithm>
#include <utility>

#include "protocol/overloaded.h"
#include "protocol/zookeeper/acl.h"
#include "protocol/zookeeper/containers.h"
#include "protocol/zookeeper/reads.h"
#include "protocol/zookeeper/sessions.h"

namespace zablab::zookeeper {
namespace {

/// jute.maxbuffer: a larger request closes the connection.
constexpr std::size_t request_bytes_max = 0xfffff;

/// Of its record on the wire.
std::size_t bytesOf(const SubOp& op) {
  std::size_t bytes = 4 + op.path.size() + 4 + (op.data ? op.data->size() : 0) + 4;
  if (!op.acl.empty()) bytes += 4;
  for (const Acl& entry : op.acl) bytes += 4 + 4 + entry.scheme.size() + 4 + entry.id.size();
  return bytes;
}

/// With the headers of the request, of each operation of a multi, and of its end.
std::size_t bytesOf(const Op& op) {
  constexpr std::size_t header = 8, header_in_multi = 9;
  if (op.ops.empty()) return header + bytesOf(static_cast<const SubOp&>(op));
  std::size_t bytes = header + header_in_multi;
  for (const SubOp& one : op.ops) bytes += header_in_multi + bytesOf(one);
  return bytes;
}

bool isEphemeralCreate(const SubOp& op) {
  if (op.code != OpCode::create && op.code != OpCode::create2) return false;
  const auto mode = createMode(op.flags);
  return mode && mode->kind == NodeKind::ephemeral;
}

bool createsEphemeral(const Op& op) {
  return isEphemeralCreate(op) || std::any_of(op.ops.begin(), op.ops.end(), isEphemeralCreate);
}

/// Request.isValid.
bool isKnown(const Rules& rules, OpCode code) {
  switch (code) {
    case OpCode::check: return rules.lone_check == LoneCheck::no_answer;
    case OpCode::create2:
    case OpCode::createContainer:
    case OpCode::createTTL:
    case OpCode::getAllChildrenNumber:
    case OpCode::getEphemerals:
    case OpCode::multiRead:
    case OpCode::addWatch:
    case OpCode::checkWatches:
    case OpCode::removeWatches:
    case OpCode::whoAmI: return rules.operations == Operations::all;
    default: return true;
  }
}

/// What a server without a leader refuses (ReadOnlyRequestProcessor).
bool needsLeader(OpCode code) {
  return (isWrite(code) && code != OpCode::closeSession) || code == OpCode::sync;
}

bool leads(const Context& ctx) { return ctx.node.role == zab::Role::LEADING; }

void close(const Context& ctx, ServerId client) {
  ctx.disconnect(client_link, client);
  ctx.node.connections.erase(client);
  ctx.node.watches.forget(client);
}

void refuse(const Context& ctx, ServerId client, RefusedBecause reason, Zxid seen) {
  ctx.emit(ClientRefused{client, reason, seen, ctx.node.last_processed});
  close(ctx, client);
}

void notify(const Context& ctx, ServerId client, const NodeEvent& event) {
  const auto found = ctx.node.connections.find(client);
  if (found == ctx.node.connections.end()) return;
  const WatchEvent message{event, ctx.node.last_processed};
  if (ctx.rules.watch_order != WatchOrder::before_reply) {
    found->second.delayed.push_back(message);
  } else {
    ctx.send(client_link, client, message);
  }
}

void reply(const Context& ctx, ServerId client, std::int64_t number, Zxid zxid, Result result) {
  const WatchOrder order = ctx.rules.watch_order;
  auto delayed = std::exchange(ctx.node.connections.at(client).delayed, {});
  if (order == WatchOrder::newest_first) std::reverse(delayed.begin(), delayed.end());
  const auto tell = [&] {
    for (const WatchEvent& event : delayed) ctx.send(client_link, client, event);
  };
  if (order != WatchOrder::after_reply) tell();
  ctx.send(client_link, client, Reply{number, zxid, std::move(result)});
  if (order == WatchOrder::after_reply) tell();
}

/// Answers a read or a sync whose turn it is.
void serve(const Context& ctx, ServerId client, const Waiting& request) {
  if (request.moved) return close(ctx, client);
  auto& node = ctx.node;
  const Connection& connection = node.connections.at(client);
  if (request.op.code == OpCode::setWatches) {
    for (const NodeEvent& event :
         setWatches(ctx.rules, node.service, node.watches, client, *request.op.watches))
      notify(ctx, client, event);
  }
  Result result = answer(ctx.rules, node.service, node.watches,
                         {client, connection.session, request.identities}, request.op);
  reply(ctx, client, request.number, node.last_processed, std::move(result));
  if (request.op.code != OpCode::closeSession) return;
  endLocal(ctx, connection.session);
  close(ctx, client);
}

bool waitsForLeader(const Waiting& waiting) {
  return (isWrite(waiting.op.code) || waiting.op.code == OpCode::sync) && !waiting.done;
}

/// Answers what no longer has to wait.
void serveReady(const Context& ctx, ServerId client) {
  auto& connections = ctx.node.connections;
  for (auto at = connections.find(client); at != connections.end(); at = connections.find(client)) {
    auto& waiting = at->second.waiting;
    if (waiting.empty() || waitsForLeader(waiting.front())) return;
    const Waiting first = std::move(waiting.front());
    waiting.erase(waiting.begin());
    serve(ctx, client, first);
  }
}

/// The client has its session.
void open(const Context& ctx, ServerId client, Connection& connection) {
  connection.open = true;
  ctx.send(client_link, client, ConnectResponse{connection.session, connection.timeout, ctx.node.read_only});
}

void refuseSession(const Context& ctx, ServerId client, SessionId session) {
  ctx.emit(SessionChecked{client, session, false});
  ctx.send(client_link, client, ConnectResponse{});
  close(ctx, client);
}

void acceptSession(const Context& ctx, ServerId client, Connection& connection) {
  ctx.emit(SessionChecked{client, connection.session, true, isLocal(ctx, connection.session)});
  open(ctx, client, connection);
}

/// Sends a write to the leader, or proposes it.
void forward(const Context& ctx, const Connection& connection, std::int64_t number, const Op& op) {
  if (leads(ctx)) {
    submit(ctx, {connection.session, number, op, connection.identities, connection.timeout, {}},
           ctx.node.self);
  } else {
    ctx.send(zab::learner_link, *ctx.node.leader,
             Forwarded{connection.session, number, op, connection.identities, connection.timeout});
  }
}

/// Of two connections of one session at this server the earlier one is closed.
void closeOthers(const Context& ctx, SessionId session, ServerId client) {
  std::vector<ServerId> others;
  for (const auto& [id, connection] : ctx.node.connections) {
    if (connection.session == session && id != client) others.push_back(id);
  }
  for (const ServerId other : others) close(ctx, other);
}

/// A new session: known here alone, or to be created by the leader.
void beginSession(const Context& ctx, ServerId client, Connection& connection) {
  if (ctx.rules.new_sessions == NewSessions::local) {
    connection.session = beginLocal(ctx, connection.session, connection.timeout);
    return open(ctx, client, connection);
  }
  if (ctx.node.read_only) return refuse(ctx, client, RefusedBecause::no_local_sessions, {});
  forward(ctx, connection, 0, {{.code = OpCode::createSession}});
}

void onConnectRequest(const Context& ctx, ServerId client, const ConnectRequest& request) {
  auto& node = ctx.node;
  if (!node.serves() && !node.read_only) return refuse(ctx, client, RefusedBecause::not_serving, {});
  if (node.read_only && !request.read_only) return refuse(ctx, client, RefusedBecause::wants_writes, {});
  if (request.last_seen > node.last_processed && ctx.rules.last_seen == LastSeen::checked)
    return refuse(ctx, client, RefusedBecause::has_seen_more, request.last_seen);
  if (node.read_only && node.service.sessions.contains(request.session))
    return refuse(ctx, client, RefusedBecause::global_session, {});
  Connection& connection = node.connections[client];
  connection = {.session = request.session == no_session ? request.proposed : request.session,
                .timeout = negotiated(ctx.rules, ctx.config, request.timeout),
                .identities = {{"ip", "127.0.0.1"}}};
  if (request.session == no_session) return beginSession(ctx, client, connection);
  closeOthers(ctx, request.session, client);
  if (!request.password) return refuseSession(ctx, client, request.session);
  if (ctx.rules.session_check == SessionCheck::at_once) return acceptSession(ctx, client, connection);
  if (isLocal(ctx, connection.session)) {
    touchLocal(ctx, connection.session, connection.timeout);
    acceptSession(ctx, client, connection);
  } else if (node.read_only) {
    refuseSession(ctx, client, connection.session);
  } else if (!leads(ctx)) {
    ctx.send(zab::learner_link, *node.leader, Revalidate{client, connection.session, connection.timeout});
  } else if (revalidate(ctx, connection.session, connection.timeout, node.self)) {
    acceptSession(ctx, client, connection);
  } else {
    refuseSession(ctx, client, connection.session);
  }
}

void onRevalidated(const Context& ctx, const Revalidated& answer) {
  const auto found = ctx.node.connections.find(answer.client);
  if (found == ctx.node.connections.end() || found->second.session != answer.session || found->second.open)
    return;
  if (answer.alive) {
    acceptSession(ctx, answer.client, found->second);
  } else {
    refuseSession(ctx, answer.client, answer.session);
  }
}

/// Credentials are checked at once, whatever waits.
void onAuth(const Context& ctx, ServerId client, Connection& connection, const ClientRequest& request) {
  Result result;
  result.code = OpCode::auth;
  const auto identity = authenticated(request.op.credentials);
  if (!identity) result.error = Error::AUTHFAILED;
  if (identity) addIdentity(connection.identities, *identity, ctx.rules.identity_order);
  reply(ctx, client, request.number, {}, result);
  if (!identity) close(ctx, client);
}

void heard(const Context& ctx, const Connection& connection) {
  if (isLocal(ctx, connection.session)) {
    touchLocal(ctx, connection.session, connection.timeout);
  } else if (leads(ctx)) {
    touch(ctx, connection.session, connection.timeout);
  } else {
    ctx.node.touched[connection.session] = connection.timeout;
  }
}

/// Before a local session creates an ephemeral node, the leader creates it as a global one
/// (QuorumZooKeeperServer.checkUpgradeSession).
void upgrade(const Context& ctx, const Connection& connection) {
  endLocal(ctx, connection.session);
  ctx.emit(SessionUpgraded{connection.session});
  forward(ctx, connection, 0, {{.code = OpCode::createSession}});
}

/// UnimplementedRequestProcessor: it answers at once, whatever waits.
void refuseUnknown(const Context& ctx, ServerId client, const ClientRequest& request) {
  Result result;
  result.code = request.op.code;
  result.error = Error::UNIMPLEMENTED;
  reply(ctx, client, request.number, {}, std::move(result));
  close(ctx, client);
}

/// A leader asks of every request whether its session is at this server (PrepRequestProcessor).
bool hasMoved(const Context& ctx, const Connection& connection, const Op& op) {
  return leads(ctx) && !isWrite(op.code) &&
         checkSession(ctx, connection.session, ctx.node.self) == Error::SESSIONMOVED;
}

void onClientRequest(const Context& ctx, ServerId client, const ClientRequest& request) {
  auto& node = ctx.node;
  const auto found = node.connections.find(client);
  if (found == node.connections.end() || !found->second.open || node.log_failed) return;
  Connection& connection = found->second;
  if (bytesOf(request.op) > request_bytes_max) return refuse(ctx, client, RefusedBecause::too_large, {});
  heard(ctx, connection);
  if (request.op.code == OpCode::auth) return onAuth(ctx, client, connection, request);
  if (!isKnown(ctx.rules, request.op.code)) return refuseUnknown(ctx, client, request);
  const bool is_local = isLocal(ctx, connection.session);
  if (node.read_only && needsLeader(request.op.code)) {
    Result result;
    result.code = request.op.code;
    result.error = Error::NOTREADONLY;
    return reply(ctx, client, request.number, node.last_processed, std::move(result));
  }
  if (is_local && ctx.rules.local_ephemerals == LocalEphemerals::upgraded && createsEphemeral(request.op)) {
    upgrade(ctx, connection);
    if (!node.connections.contains(client)) return;  // a proposal for which there is no zxid ends the role
  }
  const bool sync_at_once = leads(ctx) || ctx.rules.client_sync == ClientSync::at_once;
  const bool ends_local = is_local && request.op.code == OpCode::closeSession;
  Waiting waiting{request.number, request.op, request.op.code == OpCode::sync ? sync_at_once : ends_local};
  waiting.moved = hasMoved(ctx, connection, request.op);
  if (!waitsForLeader(waiting)) waiting.identities = connection.identities;
  if (ctx.rules.answers == Answers::reads_at_once && !waitsForLeader(waiting))
    return serve(ctx, client, waiting);
  connection.waiting.push_back(waiting);
  if (waitsForLeader(waiting)) return forward(ctx, connection, request.number, request.op);
  serveReady(ctx, client);
}

void onSyncDone(const Context& ctx, const SyncDone& done) {
  for (auto& [client, connection] : ctx.node.connections) {
    if (connection.session != done.session) continue;
    for (Waiting& waiting : connection.waiting) {
      if (waiting.op.code == OpCode::sync && waiting.number == done.number) waiting.done = true;
    }
    return serveReady(ctx, client);
  }
}

/// The answer to a write, from what applying it reported.
Result resultOf(const Op& op, const Payload& payload, const ZooKeeper::Applied& applied) {
  Result result;
  result.code = op.code;
  if (payload.kind == TxnKind::multi) {
    result.results = applied.results;
    for (SubResult& part : result.results) {
      // In a multi, a create2 is answered as a create, and the other kinds as a create2.
      if (part.code == OpCode::createContainer || part.code == OpCode::createTTL) {
        part.code = OpCode::create2;
      } else if (part.code == OpCode::create2) {
        part.code = OpCode::create;
      }
      if (part.code == OpCode::create) part.stat.reset();
    }
  } else if (payload.kind == TxnKind::single) {
    static_cast<SubResult&>(result) = applied.results.front();
    if (op.code == OpCode::create) result.stat.reset();
  }
  return result;
}

/// The session is over: its connections end.
void closeSession(const Context& ctx, const zab::BasicTxn<ZooKeeper>& txn) {
  std::vector<ServerId> clients;
  for (const auto& [client, connection] : ctx.node.connections) {
    if (connection.session == txn.payload.session) clients.push_back(client);
  }
  for (const ServerId client : clients) {
    const auto& waiting = ctx.node.connections.at(client).waiting;
    if (!waiting.empty() && waiting.front().number == txn.payload.number) {
      Result result;
      result.code = OpCode::closeSession;
      reply(ctx, client, txn.payload.number, txn.zxid, result);
    }
    close(ctx, client);
  }
}

/// Whether the connection is closed instead of an answer.
bool isUnanswered(const Rules& rules, const Op& op, const Result& result) {
  const auto moved = [](const SubResult& part) { return part.error == Error::SESSIONMOVED; };
  if (moved(result) || std::any_of(result.results.begin(), result.results.end(), moved)) return true;
  return op.code == OpCode::check && result.error == Error::OK && rules.lone_check == LoneCheck::no_answer;
}

/// Answers the client whose write it is.
void answerWrite(const Context& ctx, const zab::BasicTxn<ZooKeeper>& txn, const ZooKeeper::Applied& applied) {
  for (auto& [client, connection] : ctx.node.connections) {
    auto& waiting = connection.waiting;
    if (connection.session != txn.payload.session || waiting.empty() ||
        waiting.front().number != txn.payload.number)
      continue;
    const Op op = std::move(waiting.front().op);
    waiting.erase(waiting.begin());
    Result result = resultOf(op, txn.payload, applied);
    if (isUnanswered(ctx.rules, op, result)) return close(ctx, client);
    // The leader does not know the local session; why the creation failed is known here.
    const bool was_local = result.error == Error::SESSIONEXPIRED && isLocal(ctx, connection.session);
    if (was_local && isEphemeralCreate(op)) result.error = Error::EPHEMERALONLOCALSESSION;
    reply(ctx, client, txn.payload.number, txn.zxid, std::move(result));
    return serveReady(ctx, client);
  }
}

/// Their watches are used up all the same.
void withoutThoseWhoMayNotRead(const Context& ctx, const std::vector<Acl>& readers,
                               std::vector<ServerId>& clients) {
  if (readers.empty() || ctx.rules.rights == Rights::unchecked || ctx.rules.event_rights != EventRights::read)
    return;
  std::erase_if(clients, [&](ServerId client) {
    const auto found = ctx.node.connections.find(client);
    return found != ctx.node.connections.end() && !isAllowed(readers, perms::read, found->second.identities);
  });
}

/// A local session was silent for its timeout.
void onLocalExpiry(const Context& ctx, SessionId session) {
  ctx.emit(SessionExpired{session});
  endLocal(ctx, session);
  closeOthers(ctx, session, no_server);
}

/// The session is made, with the id that was proposed or with another one.
void openCreated(const Context& ctx, SessionId proposed, SessionId session) {
  for (auto& [client, connection] : ctx.node.connections) {
    if (connection.session != proposed || connection.open) continue;
    connection.session = session;
    return open(ctx, client, connection);
  }
}

}  // namespace

void ZooKeeper::onDelivered(const Context& ctx, const zab::BasicTxn<ZooKeeper>& txn, const Applied& applied) {
  if (leads(ctx)) {
    for (const Change& change : txn.payload.changes) noteExpiring(ctx, change);
    armContainerCheck(ctx);
  }
  const auto report = [&](const Visible& seen) {
    std::vector<ServerId> clients = ctx.node.watches.trigger(seen.event, ctx.rules);
    withoutThoseWhoMayNotRead(ctx, seen.readers, clients);
    if (!clients.empty()) ctx.emit(WatchesFired{seen.event, clients});
    for (const ServerId client : clients) notify(ctx, client, seen.event);
  };
  if (ctx.rules.event_order == EventOrder::as_changed) {
    std::for_each(applied.events.begin(), applied.events.end(), report);
  } else {
    std::for_each(applied.events.rbegin(), applied.events.rend(), report);
  }
  switch (txn.payload.kind) {
    case TxnKind::create_session: return openCreated(ctx, txn.payload.number, txn.payload.session);
    case TxnKind::close_session:
      if (leads(ctx)) untrack(ctx, txn.payload.session);
      return closeSession(ctx, txn);
    case TxnKind::single:
    case TxnKind::multi: return answerWrite(ctx, txn, applied);
  }
}

void ZooKeeper::onCommitted(const Context& ctx, Zxid committed) {
  auto& syncs = ctx.node.pending_syncs;
  for (const PendingSync& sync : syncs) {
    if (sync.after <= committed)
      ctx.send(zab::learner_link, sync.learner, SyncDone{sync.session, sync.number});
  }
  std::erase_if(syncs, [committed](const PendingSync& sync) { return sync.after <= committed; });
}

void ZooKeeper::onFromLearner(const Context& ctx, ServerId learner, const Message& message) {
  visit(Overloaded{
            [&](const Forwarded& asked) {
              if (asked.op.code != OpCode::sync) {
                submit(ctx, {asked.session, asked.number, asked.op, asked.identities, asked.timeout, {}},
                       learner);
              } else if (ctx.node.outstanding_proposals.empty()) {
                ctx.send(zab::learner_link, learner, SyncDone{asked.session, asked.number});
              } else {
                ctx.node.pending_syncs.push_back(
                    {ctx.node.last_proposed, learner, asked.session, asked.number});
              }
            },
            [&](const Revalidate& asked) {
              if (ctx.rules.revalidation == Revalidation::ignored) return;
              const bool alive = revalidate(ctx, asked.session, asked.timeout, learner);
              ctx.send(zab::learner_link, learner, Revalidated{asked.client, asked.session, alive});
            },
            [&](const Touched& touched) {
              for (const auto& [session, timeout] : touched.sessions) touch(ctx, session, timeout);
            },
            [&](const auto&) {},
        },
        message);
}

void ZooKeeper::onFromLeader(const Context& ctx, const Message& message) {
  if (const auto* done = get_if<SyncDone>(&message)) onSyncDone(ctx, *done);
  if (const auto* answer = get_if<Revalidated>(&message)) onRevalidated(ctx, *answer);
}

void ZooKeeper::onLearnerGone(const Context& ctx, ServerId learner) {
  std::erase_if(ctx.node.pending_syncs,
                [learner](const PendingSync& sync) { return sync.learner == learner; });
}

void ZooKeeper::onServes(const Context& ctx) {
  if (!leads(ctx)) return;
  trackAll(ctx);
  trackNodes(ctx);
}

void ZooKeeper::onPinged(const Context& ctx) {
  if (ctx.node.touched.empty() || ctx.rules.session_reports == SessionReports::never) return;
  ctx.send(zab::learner_link, *ctx.node.leader, Touched{std::exchange(ctx.node.touched, {})});
}

void ZooKeeper::onRoleOver(const Context& ctx) {
  for (const auto& [client, connection] : std::exchange(ctx.node.connections, {}))
    ctx.disconnect(client_link, client);
  ctx.node.watches = {};
  endAllLocal(ctx);
  ctx.node.touched.clear();
  ctx.node.pending_syncs.clear();
  forgetAll(ctx);
  forgetNodes(ctx);
}

void ZooKeeper::onOwnLink(const Context& ctx, const Input& input) {
  if (const auto* received = get_if<V::Received>(&input)) {
    if (received->late) return;
    if (const auto* request = get_if<ConnectRequest>(&received->message))
      onConnectRequest(ctx, received->from, *request);
    if (const auto* request = get_if<ClientRequest>(&received->message))
      onClientRequest(ctx, received->from, *request);
    if (holds_alternative<AskReadOnly>(received->message)) {
      ctx.send(client_link, received->from, ReadOnlyAnswer{ctx.node.read_only});
      ctx.disconnect(client_link, received->from);
    }
  } else if (const auto* closed = get_if<V::Disconnected>(&input)) {
    ctx.node.connections.erase(closed->peer);
    ctx.node.watches.forget(closed->peer);
  }
}

void ZooKeeper::onAsked(const Context&, const Request&) {}

void ZooKeeper::onTimer(const Context& ctx, TimerKind kind, SessionId key) {
  if (ctx.node.log_failed) return;  // it proposes nothing more
  switch (kind) {
    case TimerKind::session_expiry:
      if (ctx.node.tracked.contains(key)) onExpiry(ctx, key);
      return;
    case TimerKind::container_check: return onContainerCheck(ctx);
    case TimerKind::node_ttl: return onTtlOver(ctx, key);
    case TimerKind::local_expiry: return onLocalExpiry(ctx, key);
    case TimerKind::read_only: ctx.node.read_only = true; return ctx.emit(ReadOnlyChanged{true});
    case TimerKind::reconnect:
    case TimerKind::client_ping:
    case TimerKind::server_limit:
    case TimerKind::writable_server:
    case TimerKind::program:
    case TimerKind::session_limit: return;  // a client's
  }
}

void ZooKeeper::onLooking(const Context& ctx) {
  if (ctx.rules.without_quorum == WithoutQuorum::not_serving) return;
  // QuorumPeer.run: an election takes less if there is a quorum.
  constexpr Millis grace = 2000;
  ctx.setTimer(TimerKind::read_only, std::max(grace, ctx.config.tick_ms), no_session);
}

void ZooKeeper::onLookingOver(const Context& ctx) {
  if (ctx.rules.without_quorum == WithoutQuorum::not_serving) return;
  ctx.cancelTimer(TimerKind::read_only, no_session);
  if (!std::exchange(ctx.node.read_only, false)) return;
  ctx.emit(ReadOnlyChanged{false});
  onRoleOver(ctx);
}

}  // namespace zablab::zookeeper
