#include "checker/zookeeper/ledger.h"

#include <algorithm>
#include <utility>

#include "checker/zab/ledger_impl.h"
#include "checker/zookeeper/recipe_terms.h"

namespace zablab {

template class zab::BasicLedger<zookeeper::Family>;

}  // namespace zablab

namespace zablab::zookeeper {

Rules judgedBy(const Ledger& ledger) {
  const Rules& theirs = ledger.cluster().rules;
  Rules rules;
  rules.ttl_nodes = theirs.ttl_nodes;
  if (theirs.rights == Rights::unchecked) rules.rights = theirs.rights;
  rules.exists_rights = theirs.exists_rights;
  rules.address_lists = theirs.address_lists;
  rules.operations = theirs.operations;
  rules.event_rights = theirs.event_rights;
  rules.watch_modes = theirs.watch_modes;
  rules.watch_removal = theirs.watch_removal;
  // Whether a transaction has the parent's counter is its form; what becomes of the counter is seen in names.
  rules.parent_counter = theirs.parent_counter;
  return rules;
}

namespace {

using zab::Showing;

void onDelivered(Ledger& ledger, const Happened<Family>& seen) {
  auto& clients = ledger.own(seen.node).service.clients;
  const ServerId client = seen.from < 0 ? no_server : ledger.id(seen.from);
  if (const auto* connects = get_if<ConnectRequest>(seen.content)) {
    const SessionId session = connects->session == no_session ? connects->proposed : connects->session;
    clients[client] = {session, {{"ip", "127.0.0.1"}}, {}, connects->session == no_session};
  } else if (const auto* asked = get_if<ClientRequest>(seen.content)) {
    const auto found = clients.find(client);
    if (found == clients.end()) return;
    if (asked->op.code == OpCode::auth) {
      auto& known = found->second.identities;
      const auto identity = model::proved(asked->op.credentials);
      if (identity && std::find(known.begin(), known.end(), *identity) == known.end())
        known.push_back(*identity);
    }
    // A local session is closed by its server alone, also if it becomes a global one meanwhile.
    const bool ends_local = asked->op.code == OpCode::closeSession &&
                            ledger.own(seen.node).service.local.contains(found->second.session);
    found->second.requests.push_back({asked->number, asked->op, ends_local, found->second.identities});
  } else if (const auto* done = get_if<SyncDone>(seen.content)) {
    for (auto& [id, connection] : clients) {
      for (Waiting& request : connection.requests) {
        if (connection.session == done->session && request.number == done->number) request.done = true;
      }
    }
  }
}

/// Whether a quota decides about it. The leader reads quotas from what it has applied when it is asked, which
/// the history does not tell.
bool dependsOnQuota(const Ledger& ledger, const Payload& payload) {
  return ledger.cluster().rules.quotas == Quotas::enforced &&
         std::any_of(payload.changes.begin(), payload.changes.end(),
                     [](const Change& change) { return change.error == Error::QUOTAEXCEEDED; });
}

bool isNotAllowed(const std::vector<Change>& changes) {
  return std::any_of(changes.begin(), changes.end(),
                     [](const Change& change) { return change.error == Error::NOAUTH; });
}

/// Whether a node's number is behind the largest one. The leader has counted what is outstanding, and the
/// tree does not follow (DataTree never sets a counter back).
bool passesLargestNumber(const Payload& payload) {
  return std::any_of(payload.changes.begin(), payload.changes.end(), [](const Change& change) {
    return change.kind == ChangeKind::create && change.creates != uncounted && change.creates < 0;
  });
}

/// Not everybody is notified of what not everybody may read.
void noteGuarded(Ledger& ledger, Zxid zxid, const model::Effects& effects) {
  const Rules& rules = ledger.cluster().rules;
  if (rules.event_rights != EventRights::read || rules.rights == Rights::unchecked) return;
  std::vector<NodeEvent> guarded;
  for (const model::Seen& seen : effects.events) {
    if (!seen.readers.empty()) guarded.push_back(seen.event);
  }
  if (!guarded.empty()) ledger.shared().service.guarded.try_emplace(zxid, std::move(guarded));
}

/// The client here that waits for this transaction, and what it has asked; null: there is none.
std::pair<ServerId, const Waiting*> asking(const Book::Own& own, const Payload& payload) {
  for (const auto& [client, connection] : own.clients) {
    if (connection.session != payload.session) continue;
    for (const Waiting& request : connection.requests) {
      if (request.number == payload.number && model::changesState(request.op.code)) return {client, &request};
    }
  }
  return {no_server, nullptr};
}

/// What the transaction should be, in the state that the server has before it; empty: this is not known.
std::optional<model::Demand> demandFor(const Ledger& ledger, const Book::Own& own, const Payload& payload,
                                       const Waiting* request) {
  static const std::vector<Id> nobody;
  const Rules rules = judgedBy(ledger);
  // The end of a session needs no request: the leader may have seen to it.
  if (payload.kind == TxnKind::close_session)
    return model::demandedBy(rules, own.state, {payload.session, Op{{.code = OpCode::closeSession}}, nobody});
  // Nor does the deletion of a node that is not used any more.
  const bool is_leaders = payload.session == no_session && payload.changes.size() == 1;
  if (is_leaders && payload.changes.front().of == OpCode::deleteContainer &&
      payload.changes.front().kind == ChangeKind::remove) {
    const Op op{{.code = OpCode::deleteContainer, .path = payload.changes.front().path}};
    return model::demandedBy(rules, own.state, {no_session, op, nobody});
  }
  if (request == nullptr || dependsOnQuota(ledger, payload) || passesLargestNumber(payload))
    return std::nullopt;
  auto demand = model::demandedBy(rules, own.state, {payload.session, request->op, request->identities});
  // What a setACL that was outstanding has changed, the history does not tell.
  const bool old_list = ledger.cluster().rules.outstanding_acl == OutstandingAcl::old_list;
  if (old_list && (isNotAllowed(payload.changes) || isNotAllowed(demand.changes))) return std::nullopt;
  return demand;
}

void judgeApplied(Ledger& ledger, Book::Own& own, const Txn& txn, Book::Facts& facts) {
  facts.applied = true;
  const auto [client, request] = asking(own, txn.payload);
  facts.demanded = demandFor(ledger, own, txn.payload, request);
  const model::Effects& effects = facts.effects.emplace(model::apply(own.state, txn.zxid, txn.payload));
  if (request != nullptr)
    own.owed = Owed{client, request->number, model::answerTo(request->op, txn.payload, effects)};
  noteGuarded(ledger, txn.zxid, effects);
  own.at = txn.zxid;
}

/// A session begins at this server, or goes on. One that has begun and is in no transaction is local.
void onConnected(Book::Own& own, ServerId client, SessionId session) {
  const auto connection = own.clients.find(client);
  if (connection == own.clients.end()) return;
  connection->second.session = session;
  if (std::exchange(connection->second.begins, false) && !own.state.sessions.contains(session))
    own.local.insert(session);
}

Showing onReply(Book::Own& own, ServerId client, const Reply& reply, Book::Facts& facts) {
  const auto connection = own.clients.find(client);
  if (connection != own.clients.end()) {
    auto& requests = connection->second.requests;
    const auto request = std::find_if(requests.begin(), requests.end(),
                                      [&](const Waiting& one) { return one.number == reply.number; });
    if (request != requests.end()) {
      facts.request = *request;
      facts.connection = &connection->second;
      facts.ends_local = request->op.code == OpCode::closeSession && request->done;
      if (facts.ends_local) own.local.erase(connection->second.session);
      requests.erase(request);
    }
  }
  return {model::changesState(reply.result.code) ? std::optional(reply.zxid) : std::nullopt};
}

/// What a client learns and reports, of the recipe that it runs.
void noteRecipe(Ledger& ledger, const Happened<Family>& seen, Book::Facts& facts) {
  std::optional<Part>& part = ledger.own(seen.node).service.part;
  if (seen.kind == Kind::event) {
    if (const auto* began = get_if<recipes::RecipeBegan>(seen.event)) {
      part = Part{.recipe = began->recipe, .path = began->path};
      auto& shared = ledger.shared().service;
      shared.has_recipes = true;
      if (goesInTurn(began->recipe)) shared.lines.insert(began->path);
      if (began->recipe == recipes::Recipe::protected_queue) shared.protected_queues.insert(began->path);
    }
  }
  if (!part) return;
  auto& believers = ledger.shared().service.believers;
  const ServerId client = ledger.id(seen.node);
  const auto stopsBelieving = [&] {
    const auto found = believers.find(part->path);
    if (found == believers.end()) return;
    found->second.erase(client);
    if (found->second.empty()) believers.erase(found);
  };
  if (seen.kind == Kind::stopped) {
    stopsBelieving();
    part.reset();
  } else if (seen.kind == Kind::step_over) {
    facts.session_over = std::exchange(part->over, false);
  } else if (seen.kind != Kind::event) {
    return;
  } else if (const auto* belief = get_if<recipes::BeliefChanged>(seen.event)) {
    if (!belief->holds) return stopsBelieving();
    believers[belief->path][client] = {belief->session, belief->limit};
  } else if (const auto* place = get_if<recipes::PlaceChanged>(seen.event)) {
    part->node = place->place;
    part->watching.clear();
  } else if (const auto* answered = get_if<Answered>(seen.event)) {
    part->seen = std::max(part->seen, answered->zxid);
    const bool watches = answered->op.code == OpCode::getData && answered->op.watch;
    if (watches && answered->result.error == Error::OK) part->watching = answered->op.path;
  } else if (const auto* watched = get_if<Watched>(seen.event)) {
    part->seen = std::max(part->seen, watched->zxid);
  } else if (const auto* state = get_if<ClientStateChanged>(seen.event)) {
    if (state->to != ClientState::CLOSED) return;
    part->over = true;
    part->seen = {};
  }
}

std::optional<Showing> noteClients(Ledger& ledger, const Happened<Family>& seen, Book::Facts& facts) {
  if (seen.node >= 0 && ledger.cluster().configs[static_cast<std::size_t>(seen.node)].client)
    noteRecipe(ledger, seen, facts);
  if (seen.kind == Kind::delivered) {
    onDelivered(ledger, seen);
  } else if (seen.kind == Kind::step_over) {
    ledger.own(seen.node).service.owed.reset();
  } else if (seen.kind == Kind::written) {
    const auto* write = get_if<zab::BasicWriteTxn<ZooKeeper>>(seen.record);
    if (write != nullptr && write->txn.payload.kind == TxnKind::create_session &&
        write->txn.payload.session >= local_ids_apart)
      ledger.shared().service.upgraded[write->txn.payload.session] = write->txn.zxid;
  } else if (seen.kind == Kind::sent && seen.link == client_link) {
    if (const auto* connected = get_if<ConnectResponse>(seen.content)) {
      onConnected(ledger.own(seen.node).service, seen.to, connected->session);
    }
    // A recipe may act on a notification, before anybody is answered.
    const bool notifies = get_if<WatchEvent>(seen.content) != nullptr;
    if (notifies && ledger.shared().service.has_recipes) return Showing{};
    const auto* reply = get_if<Reply>(seen.content);
    if (reply == nullptr) return std::nullopt;
    // Credentials are answered before anything is shown.
    if (reply->result.code == OpCode::auth) return std::nullopt;
    const Showing shown = onReply(ledger.own(seen.node).service, seen.to, *reply, facts);
    const bool shows =
        reply->result.error != Error::NOTREADONLY && !isOfUnknownRequest(reply->zxid, reply->result);
    return shows ? std::optional(shown) : std::nullopt;
  } else if (seen.kind == Kind::event) {
    Book::Own& own = ledger.own(seen.node).service;
    if (const auto* applied = get_if<zab::BasicApplied<ZooKeeper>>(seen.event)) {
      judgeApplied(ledger, own, applied->txn, facts);
    } else if (const auto* loaded = get_if<zab::BasicHistoryLoaded<ZooKeeper>>(seen.event)) {
      own.state = model::initialState();
      for (const Txn& txn : loaded->history) model::apply(own.state, txn.zxid, txn.payload);
      own.at = loaded->history.empty() ? Zxid{} : loaded->history.back().zxid;
    } else if (const auto* upgraded = get_if<SessionUpgraded>(seen.event)) {
      own.local.erase(upgraded->session);
    } else if (const auto* expired = get_if<SessionExpired>(seen.event)) {
      own.local.erase(expired->session);
    }
  }
  return std::nullopt;
}

}  // namespace
}  // namespace zablab::zookeeper

namespace zablab {

std::optional<zab::Showing> zookeeper::Book::note(zookeeper::Ledger& ledger,
                                                  const Happened<zookeeper::Family>& seen, Facts& facts) {
  return zookeeper::noteClients(ledger, seen, facts);
}

void zookeeper::Book::place(Own& own, const zookeeper::Node& node) {
  if (node.client && node.client->session != zookeeper::no_session) own.seen = node.client->last_seen;
  for (const auto& [client, connection] : node.connections)
    own.clients[client] = {connection.session, connection.identities, {}};
  for (const auto& [session, timeout] : node.local_sessions) own.local.insert(session);
  if (node.role == zab::Role::LEADING && node.phase == zab::Phase::broadcast)
    own.proposed = node.last_proposed;
}

void zookeeper::Book::onRoleOver(Own& own) {
  own.clients.clear();
  own.local.clear();
  own.proposed = {};
  own.forwarded.clear();
}

}  // namespace zablab
