// What servers owe: an answer to each request as soon as it is possible, and the deletion of nodes that
// nobody uses; and how clients use a resource.
#include <algorithm>

#include "checker/zookeeper/records.h"
#include "protocol/overloaded.h"
#include "sim/zookeeper/words.h"

namespace zablab::zookeeper {
namespace {

/// jute.maxbuffer.
constexpr std::int64_t request_bytes_max = 1'048'575;

/// A server that does not know a request says so at once.
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

bool isEphemeral(const SubOp& op) {
  constexpr std::int32_t ephemeral = 1, ephemeral_sequential = 3;
  return (op.code == OpCode::create || op.code == OpCode::create2) &&
         (op.flags == ephemeral || op.flags == ephemeral_sequential);
}

}  // namespace

void Records::noteDelivered(const Happened<Family>& seen) {
  NodeRecord& memory = own(seen.node);
  if (seen.late || !memory.running || memory.failed) return;
  const bool leader = leads(seen.node), learner = serves(seen.node) && !leader;
  visit(Overloaded{
            [&](const ConnectRequest& asks) {
              duties_.sessions.insert(sender_);
              const SessionId session = asks.session == no_session ? asks.proposed : asks.session;
              if (learner) memory.to_leader.push_back({sender_, session, std::nullopt});
            },
            [&](const zab::Ping&) {
              if (learner) memory.to_leader.push_back({});
            },
            [&](const ClientRequest& request) { noteRequest(seen.node, request); },
            [&](const SyncDone& done) {
              if (!learner) return;
              for (auto& [id, client] : memory.clients) {
                if (client.session != done.session) continue;
                for (Unanswered& one : client.requests) one.waits = one.waits && one.number != done.number;
              }
            },
            [&](const Revalidated& answer) {
              const auto client = memory.clients.find(answer.client);
              if (client == memory.clients.end() || client->second.open) return;
              if (client->second.session == answer.session) duties_.sessions.insert(answer.client);
            },
            [&](const Revalidate& asks) {
              if (leader) duties_.revalidation = {sender_, asks.session};
            },
            [&](const Forwarded& asks) {
              if (!leader) return;
              if (asks.op.code == OpCode::sync) {
                const Zxid proposed = ledger_.own(seen.node).service.proposed;
                memory.syncs.push_back({sender_, asks.session, asks.number, proposed});
              } else {
                const bool begins = asks.op.code == OpCode::createSession;
                duties_.transaction = {asks.session, begins ? asks.session : asks.number};
              }
            },
            [&](const UseResource& use) {
              if (memory.is_resource) duties_.told_use = {use.token, false};
            },
            [&](const ResourceUsed& used) { duties_.used = used; },
            [](const auto&) {},
        },
        *seen.content);
}

void Records::noteRequest(int node, const ClientRequest& request) {
  NodeRecord& memory = own(node);
  const auto client = memory.clients.find(sender_);
  const bool too_large = model::bytesOf(request.op) > request_bytes_max;
  if (too_large) duties_.too_large = sender_;
  if (too_large || client == memory.clients.end() || !client->second.open || client->second.doubtful) return;
  const OpCode code = request.op.code;
  const bool writes = model::changesState(code);
  if (code == OpCode::auth || !isKnown(rules(), code) ||
      (memory.read_only && (code == OpCode::sync || (writes && code != OpCode::closeSession)))) {
    duties_.reply = {sender_, request.number};
  } else {
    const bool ends_local = code == OpCode::closeSession && local_;
    const bool waits = code == OpCode::sync ? !leads(node) : writes && !ends_local;
    client->second.requests.push_back({request.number, waits});
    if (!waits) return;
    if (leads(node)) duties_.transaction = {client->second.session, request.number};
    if (!leads(node)) memory.to_leader.push_back({sender_, client->second.session, request.number});
  }
}

void Records::noteSent(int node, const Message& message, ServerId to, std::uint64_t sent_as) {
  NodeRecord& memory = own(node);
  visit(Overloaded{
            [&](const ConnectResponse&) { endSessionDuty(memory, to); },
            [&](const Revalidate& asks) { noteToLeader(node, asks.session, std::nullopt, sent_as); },
            [&](const zab::Ping&) {
              if (!leads(node)) noteToLeader(node, no_session, std::nullopt, sent_as);
            },
            [&](const Reply& reply) {
              const std::pair<ServerId, std::int64_t> answered{to, reply.number};
              if (duties_.reply == answered) duties_.reply.reset();
              if (duties_.write == answered) duties_.write.reset();
              const auto client = memory.clients.find(to);
              if (client == memory.clients.end()) return;
              std::erase_if(client->second.requests,
                            [&](const Unanswered& one) { return one.number == reply.number; });
              if (duties_.transaction == std::pair{client->second.session, reply.number})
                duties_.transaction.reset();
            },
            [&](const Forwarded& asks) {
              const bool begins = asks.op.code == OpCode::createSession;
              noteToLeader(node, asks.session, begins ? std::nullopt : std::optional(asks.number), sent_as);
            },
            [&](const Revalidated& answer) {
              if (duties_.revalidation == std::pair{to, answer.session}) duties_.revalidation.reset();
            },
            [&](const SyncDone& done) {
              std::erase_if(memory.syncs, [&](const SyncHere& one) {
                return one.learner == to && one.session == done.session && one.number == done.number;
              });
            },
            [&](const UseResource& use) {
              memory.uses.tokens.push_back(use.token);
              if (memory.uses.waiting > 0) --memory.uses.waiting;
              duties_.use = false;
            },
            [&](const ResourceUsed& used) {
              if (duties_.told_use && to == sender_ && duties_.told_use->token == used.token &&
                  duties_.served == used.accepted)
                duties_.told_use.reset();
            },
            [](const auto&) {},
        },
        message);
}

/// The client is told at once.
void Records::endSessionDuty(NodeRecord& memory, ServerId client) {
  auto& all = memory.to_leader;
  const bool asked_now = duties_.sessions.erase(client) > 0 && input<ConnectRequest>() != nullptr;
  if (asked_now && !all.empty() && all.back().client == client && !all.back().number) all.pop_back();
}

/// What waits behind a write is lost with the connection, and what is sent then, too: it is judged when it
/// arrives.
void Records::noteToLeader(int node, SessionId session, std::optional<std::int64_t> number,
                           std::uint64_t sent_as) {
  NodeRecord& memory = own(node);
  auto& all = memory.to_leader;
  const auto at = std::find_if(all.begin(), all.end(), [&](const ToLeader& one) {
    return one.session == session && one.number == number;
  });
  if (at == all.end()) return;
  for (auto before = all.begin(); before != at; ++before) {
    const auto other = memory.clients.find(before->client);
    if (!before->waited_for || other == memory.clients.end() || other->second.doubtful) continue;
    if (sent_as != 0) shared().left_out[sent_as] = before->client;
  }
  all.erase(all.begin(), std::next(at));
}

void Records::noteWritten(int node, const Payload& payload) {
  NodeRecord& memory = own(node);
  if (payload.kind == TxnKind::create_session) {
    for (const auto& [id, client] : memory.clients) {
      if (client.session == payload.number) duties_.sessions.erase(id);
    }
    if (duties_.transaction && duties_.transaction->second == payload.number) duties_.transaction.reset();
  } else if (duties_.transaction == std::pair{payload.session, payload.number}) {
    duties_.transaction.reset();
  }
  if (!memory.running || !memory.tracks) return;
  judgeDeletion(node, payload);
  judgeSession(node, payload);
}

void Records::judgeDeletion(int node, const Payload& payload) {
  if (payload.session != no_session || payload.kind != TxnKind::single) return;
  const Change& change = payload.changes.front();
  if (change.of != OpCode::deleteContainer) return;
  auto& unused = own(node).unused;
  if (change.kind == ChangeKind::error) {  // of which one it does not say
    for (auto& [path, one] : unused) one.asked = true;
    return;
  }
  const auto at = unused.find(change.path);
  found().deleted = {change.path,
                     at != unused.end() && at->second.emptied &&
                         (at->second.ttl == 0 || hasPassed(at->second.changed.at, at->second.ttl))};
  if (at != unused.end()) at->second.asked = true;
}

/// Whether it writes for a session that is over, or does not for one that is not.
void Records::judgeSession(int node, const Payload& payload) {
  if (payload.session == no_session || payload.number == 0) return;
  if (payload.kind != TxnKind::single && payload.kind != TxnKind::multi) return;
  const bool refused = std::any_of(payload.changes.begin(), payload.changes.end(), [](const Change& change) {
    return change.error == Error::SESSIONEXPIRED;
  });
  const bool done = std::any_of(payload.changes.begin(), payload.changes.end(),
                                [](const Change& change) { return change.kind != ChangeKind::error; });
  if (!refused && !done) return;
  const bool open = own(node).heard.contains(payload.session);
  if (payload.session < local_ids_apart) {
    found().write_of_session = {refused, open == done};
    return;
  }
  // Of a local session its server alone knows whether it is over.
  const auto* forwarded = input<Forwarded>();
  const auto* asked = input<ClientRequest>();
  if (!refused || (forwarded == nullptr && asked == nullptr)) return;
  const Op& op = forwarded != nullptr ? forwarded->op : asked->op;
  const int server = forwarded != nullptr ? cluster().indexOf(sender_) : node;
  const bool ephemeral = isEphemeral(op) || std::any_of(op.ops.begin(), op.ops.end(), isEphemeral);
  if (own(server).running && own(server).local.contains(payload.session))
    found().write_of_session = {refused, ephemeral};
}

void Records::noteApplied(int node, const Txn& txn) {
  NodeRecord& memory = own(node);
  judgeWrite(memory);
  const Payload& payload = txn.payload;
  if (payload.kind == TxnKind::create_session) {
    for (const auto& [id, client] : memory.clients) {
      if (client.begins && !client.open && !client.doubtful && client.session == payload.number)
        duties_.sessions.insert(id);
    }
  }
  const auto& owed = ledger_.own(node).service.owed;
  if (owed && payload.number == owed->number && !memory.failed) duties_.write = {owed->client, owed->number};
  if (!memory.tracks) return;
  for (const Change& change : payload.changes) {
    const bool creates = change.kind == ChangeKind::create;
    if (!creates && change.kind != ChangeKind::remove && change.kind != ChangeKind::set_data) continue;
    if (creates) memory.unused.erase(change.path);
    noteUnused(node, change.path, true);
    if (change.kind != ChangeKind::set_data) noteUnused(node, std::string(model::above(change.path)), false);
  }
}

/// The client whose write was applied before is answered before anything else happens.
void Records::judgeWrite(NodeRecord& memory) {
  const auto write = std::exchange(duties_.write, std::nullopt);
  if (!write || std::find(leaving_.begin(), leaving_.end(), write->first) != leaving_.end()) return;
  const auto client = memory.clients.find(write->first);
  if (client == memory.clients.end() || !client->second.open || client->second.doubtful) return;
  found().owed = phrase("answer request {number} of {client}", write->second, Phrase::client(write->first));
}

void Records::noteUnused(int node, const std::string& path, bool changed) {
  auto& unused = own(node).unused;
  const model::State& state = ledger_.own(node).service.state;
  const model::Znode* const znode = model::nodeAt(state, path);
  const bool deletes = znode != nullptr && (znode->kind == NodeKind::ttl ||
                                            (znode->kind == NodeKind::container && znode->creations > 0));
  if (!deletes) {
    if (const auto at = unused.find(path); at != unused.end()) unused.erase(at);
    return;
  }
  const auto [at, fresh] = unused.try_emplace(path, Unused{.changed = sinceNow(node), .ttl = znode->ttl});
  Unused& one = at->second;
  if (changed && !fresh) {
    one.changed = sinceNow(node);
    one.asked = false;
  }
  const bool empty = model::childrenOf(state, path).empty();
  if (empty == one.emptied.has_value()) return;
  one.asked = false;
  one.emptied = empty ? std::optional(sinceNow(node)) : std::nullopt;
}

void Records::noteAllUnused(int node) {
  for (const auto& [path, znode] : ledger_.own(node).service.state.nodes) noteUnused(node, path, false);
}

void Records::judgeUnused(int node) {
  const NodeRecord& memory = own(node);
  if (!memory.tracks || memory.failed) return;
  const Millis interval = config(node).container_check_ms;
  for (const auto& [path, one] : memory.unused) {
    if (one.asked || !one.emptied) continue;
    if (isLate(node, one.changed, one.ttl + interval) && isLate(node, *one.emptied, interval))
      found().kept = path;
  }
}

void Records::judgeOwed(int node) {
  NodeRecord& memory = own(node);
  judgeWrite(memory);
  if (!memory.running || memory.failed || !(serves(node) || memory.read_only)) return;
  const auto isHere = [&](ServerId id) {
    const auto client = memory.clients.find(id);
    return client != memory.clients.end() && !client->second.doubtful &&
           std::find(leaving_.begin(), leaving_.end(), id) == leaving_.end();
  };
  if (duties_.reply && isHere(duties_.reply->first)) {
    found().owed = phrase("answer request {number} of {client}", duties_.reply->second,
                          Phrase::client(duties_.reply->first));
  }
  if (duties_.too_large && isHere(*duties_.too_large) && memory.clients.at(*duties_.too_large).open)
    found().owed =
        phrase("refuse what {client} asks, which is too large", Phrase::client(*duties_.too_large));
  for (const ServerId id : duties_.sessions) {
    const bool asks_leader = input<ConnectRequest>() != nullptr && !leads(node) && !memory.read_only;
    if (!asks_leader && isHere(id))
      found().owed = phrase("answer {client}, which asks for its session", Phrase::client(id));
  }
  if (duties_.revalidation) {
    found().owed = phrase("tell {learner} whether session {session} is open",
                          Phrase::server(duties_.revalidation->first), duties_.revalidation->second);
  }
  if (duties_.transaction) {
    found().owed = phrase("make a transaction of request {number} of session {session}",
                          duties_.transaction->second, duties_.transaction->first);
  }
  for (const auto& [id, client] : memory.clients) {
    if (!client.open || client.requests.empty() || client.requests.front().waits || !isHere(id)) continue;
    found().owed =
        phrase("answer request {number} of {client}", client.requests.front().number, Phrase::client(id));
  }
  const auto& history = ledger_.own(node).memory;
  const Zxid last = history.empty() ? Zxid{} : history.back().zxid();
  for (const SyncHere& sync : memory.syncs) {
    if (!leads(node) || last < sync.after) continue;
    found().owed = phrase("tell {learner} that sync {number} of session {session} is done",
                          Phrase::server(sync.learner), sync.number, sync.session);
  }
}

// ---- clients

void Records::noteOwnSession(const Happened<Family>& seen) {
  OwnSession& session = own(seen.node).session;
  const bool to_server = seen.link == client_link && !isClient(cluster().indexOf(seen.to));
  switch (seen.kind) {
    case Kind::asked:
      if (seen.request->instruction != Instruction::connect) return;
      if (seen.request->session) session.has = *seen.request->session != no_session;
      session.timeout = seen.request->timeout;
      session.heard = sinceNow(seen.node);
      return;
    case Kind::connected:
    case Kind::delivered:
      session.heard = sinceNow(seen.node);
      if (const auto* response =
              seen.kind == Kind::delivered ? get_if<ConnectResponse>(seen.content) : nullptr) {
        session.has = response->session != no_session;
        session.timeout = std::max(session.timeout, response->timeout);
      }
      return;
    case Kind::event:
      if (const auto* state = get_if<ClientStateChanged>(seen.event))
        session.has =
            session.has && state->to != ClientState::CLOSED && state->to != ClientState::AUTH_FAILED;
      return;
    case Kind::timer: duties_.reconnects = seen.timer.kind.above() == TimerKind::reconnect; return;
    case Kind::dialled:
      if (!to_server || !duties_.reconnects || !session.has || cluster().rules.own_expiry == OwnExpiry::never)
        return;
      if (isLate(seen.node, session.heard, session.timeout * 4 / 3))
        found().untrue_use = phrase("{client} turns to a server, and its session is over by its own clock",
                                    Phrase::client(id(seen.node)));
      return;
    default: return;
  }
}

void Records::noteUse(const Happened<Family>& seen) {
  NodeRecord& memory = own(seen.node);
  Using& uses = memory.uses;
  const bool to_client = seen.link == client_link && isClient(cluster().indexOf(seen.to));
  switch (seen.kind) {
    case Kind::asked:
      if (seen.request->instruction == Instruction::run)
        memory.is_resource = seen.request->program->recipe == recipes::Recipe::resource;
      duties_.use = seen.request->instruction == Instruction::act && seen.request->act == recipes::Act::use &&
                    ledger_.own(seen.node).service.part;
      return;
    case Kind::dialled:
      if (!to_client) return;
      uses.dials = true;
      return;
    case Kind::connected:
      if (!to_client) return;
      uses.dials = false;
      uses.linked = true;
      return;
    case Kind::refused:
    case Kind::closed:
      if (!to_client || !(uses.dials || uses.linked)) return;
      if (seen.kind == Kind::refused && own(cluster().indexOf(seen.to)).is_resource)
        found().untrue_use = phrase("{resource} does not accept {client}", Phrase::client(seen.to),
                                    Phrase::client(id(seen.node)));
      duties_.loses = uses.waiting + static_cast<int>(uses.tokens.size());
      uses = {};
      return;
    case Kind::event: break;
    default: return;
  }
  if (const auto* served = get_if<Served>(seen.event)) {
    if (duties_.told_use && served->token == duties_.told_use->token && served->client == sender_)
      duties_.served = served->accepted;
  } else if (const auto* used = get_if<Used>(seen.event)) {
    if (!used->accepted) {
      --duties_.loses;
      return;
    }
    const bool said =
        duties_.used && duties_.used->token == used->token && duties_.used->accepted == *used->accepted;
    duties_.used.reset();
    if (!uses.tokens.empty()) uses.tokens.pop_front();
    if (!said) {
      found().untrue_use = phrase("{client} reports that its use of a resource has ended, and it has not",
                                  Phrase::client(id(seen.node)));
    }
  } else {
    duties_.use = false;
  }
}

void Records::judgeUse(int node) {
  Using& uses = own(node).uses;
  const auto self = [&] { return Phrase::client(id(node)); };
  if (duties_.use && uses.dials) {
    ++uses.waiting;
    duties_.use = false;
  }
  if (duties_.use || (uses.linked && uses.waiting > 0)) {
    found().untrue_use = phrase("{client} is told to use a resource, and does not", self());
  } else if (duties_.told_use) {
    found().untrue_use = phrase("{client}, a resource, does not say whether it accepts", self());
  } else if (duties_.used || duties_.loses != 0) {
    found().untrue_use = phrase("{client} does not report how its use of a resource has ended", self());
  }
}

}  // namespace zablab::zookeeper
