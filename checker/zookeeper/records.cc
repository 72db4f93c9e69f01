#include "checker/zookeeper/records.h"

#include <algorithm>

#include "protocol/overloaded.h"

namespace zablab::zookeeper {
namespace {

void closeConnection(NodeRecord& memory, ServerId client) {
  memory.clients.erase(client);
  memory.watches.forget(client);
  for (ToLeader& one : memory.to_leader) one.waited_for = one.waited_for && one.client != client;
}

bool creates(OpCode code) { return code <= OpCode::createTTL; }
bool changesSize(OpCode code) { return creates(code) || code == OpCode::setData; }

/// The role is over in which it served them.
void forgetClients(NodeRecord& memory) {
  memory.clients.clear();
  memory.watches = {};
  memory.to_report.clear();
  memory.reports.clear();
  memory.heard.clear();
  memory.local.clear();
  memory.unused.clear();
  memory.syncs.clear();
  memory.to_leader.clear();
}

bool isAboutWatches(OpCode code) { return code == OpCode::checkWatches || code == OpCode::removeWatches; }

}  // namespace

void Records::on(const Happened<Family>& seen) {
  keepTime(seen);
  if (std::exchange(any_facts_, false)) facts_ = {};
  if (seen.kind == Kind::lost) return onLost(seen);
  if (seen.node < 0) return;
  note(seen);
  if (!isClient(seen.node)) return;
  noteOwnSession(seen);
  noteUse(seen);
}

void Records::note(const Happened<Family>& seen) {
  NodeRecord& memory = own(seen.node);
  switch (seen.kind) {
    case Kind::started:
      begin();
      memory = {};
      memory.running = true;
      return;
    case Kind::taken_up:
    case Kind::stopped:
    case Kind::wiped: memory = {}; return begin();
    case Kind::connected:
    case Kind::refused:
    case Kind::timer:
    case Kind::durable:
    case Kind::age: return begin();
    case Kind::write_failed: memory.failed = true; return begin();
    case Kind::delivered: begin(); return onDelivered(seen);
    case Kind::closed:
      begin();
      if (seen.link == client_link) closeConnection(memory, seen.to);
      return;
    case Kind::asked:
      begin();
      memory.answers.clear();
      if (seen.request->instruction == Instruction::operate)
        memory.asked[seen.request->number] = seen.request->op;
      return;
    case Kind::written: return onWritten(seen.node, *seen.record);
    case Kind::sent:
      if (seen.how != SentHow::copy && memory.running) onSent(seen);
      return;
    case Kind::event: return onEvent(seen);
    case Kind::step_over: return onStepOver(seen.node);
    default: return;
  }
}

/// Through a connection of which something is lost nothing else comes.
void Records::onLost(const Happened<Family>& seen) {
  if (seen.from < 0) return;
  shared().reports.erase(seen.message);
  shared().left_out.erase(seen.message);
  NodeRecord& memory = own(seen.from);
  // What a client asks of a resource was counted when it was sent.
  if (seen.content != nullptr && !holds_alternative<UseResource>(*seen.content))
    noteSent(seen.from, *seen.content, seen.to);
  if (seen.link == zab::learner_link && !leads(seen.from)) memory.reports.clear();
  const auto client = memory.clients.find(seen.to);
  if (seen.link == client_link && client != memory.clients.end()) client->second.doubtful = true;
}

void Records::begin() {
  forgetInput();
  duties_ = {};
  asks_.reset();
  refused_ = false;
  leaving_.clear();
}

void Records::onDelivered(const Happened<Family>& seen) {
  NodeRecord& memory = own(seen.node);
  input_ = *seen.content;
  sender_ = id(seen.from);
  if (const auto report = shared().reports.find(seen.message); report != shared().reports.end()) {
    found().to_report = std::move(report->second);
    shared().reports.erase(report);
  }
  if (const auto left_out = shared().left_out.find(seen.message); left_out != shared().left_out.end())
    found().left_out = shared().left_out.extract(left_out).mapped();
  if (const auto* connects = input<ConnectRequest>()) {
    const bool open_before = memory.clients.contains(sender_);
    Attendance& client = memory.clients[sender_];
    const bool begins = connects->session == no_session;
    const Millis tick = config(seen.node).tick_ms;
    client = {.session = begins ? connects->proposed : connects->session,
              .timeout = std::clamp(connects->timeout, 2 * tick, 20 * tick),
              .begins = begins,
              .doubtful = open_before};
  } else if (holds_alternative<ClientRequest>(*input_)) {
    const auto client = memory.clients.find(sender_);
    if (client != memory.clients.end() && client->second.open)
      asks_ = {client->second.session, client->second.timeout};
    if (asks_ && cluster().rules.quotas == Quotas::enforced) {
      const auto& [op, number] = get<ClientRequest>(*input_);
      if (changesSize(op.code)) noteQuota(seen.node, client->second.under_quota[number] = {.op = op});
    }
    local_ = asks_ && memory.local.contains(asks_->first);
  } else if (holds_alternative<zab::Ping>(*input_)) {
    if (serves(seen.node) && !leads(seen.node)) memory.reports.push_back(std::exchange(memory.to_report, {}));
  } else if (const auto* touched = input<Touched>()) {
    for (const auto& [session, timeout] : touched->sessions) hearFromLearner(memory, session, timeout);
  } else if (const auto* asks = input<Revalidate>()) {
    hearFromLearner(memory, asks->session, asks->timeout);
  }
  noteDelivered(seen);
}

void Records::hear(NodeRecord& memory, SessionId session, Millis timeout) {
  const auto at = memory.heard.find(session);
  if (at != memory.heard.end()) at->second = {now(), timeout};
}

/// Another server has heard of it, which is nothing to a local session.
void Records::hearFromLearner(NodeRecord& memory, SessionId session, Millis timeout) {
  if (!memory.local.contains(session)) hear(memory, session, timeout);
}

void Records::onWritten(int node, const Record& record) {
  const auto* write = get_if<zab::BasicWriteTxn<ZooKeeper>>(&record);
  if (write == nullptr || !leads(node)) return;
  const Payload& payload = write->txn.payload;
  NodeRecord& memory = own(node);
  if (payload.kind == TxnKind::create_session) {
    if (memory.heard.contains(payload.session)) found().begun_again = payload.session;
    memory.heard[payload.session] = {now(), payload.timeout};
  } else if (payload.kind == TxnKind::close_session) {
    memory.heard.erase(payload.session);
  }
  noteWritten(node, payload);
}

void Records::onSent(const Happened<Family>& seen) {
  NodeRecord& memory = own(seen.node);
  noteSent(seen.node, *seen.content, seen.to, seen.message);
  if (seen.link == zab::learner_link) return onReport(memory, seen);
  const auto at = memory.clients.find(seen.to);
  if (at == memory.clients.end()) return;
  Attendance& client = at->second;
  if (const auto* connected = get_if<ConnectResponse>(seen.content)) {
    if (connected->session == no_session) return closeConnection(memory, seen.to);
    client.session = connected->session;
    client.open = true;
    found().negotiated = client.timeout;
    if (!ledger_.own(seen.node).service.local.contains(client.session)) return;
    if (!memory.local.insert(client.session).second && client.begins) found().begun_again = client.session;
    memory.heard[client.session] = {now(), client.timeout};
  } else if (const auto* watch = get_if<WatchEvent>(seen.content)) {
    found().told = !client.due.empty() && client.due.front() == watch->event;
    found().told ? client.due.pop_front() : client.told_early.push_back(watch->event);
  } else if (const auto* reply = get_if<Reply>(seen.content)) {
    onReply(seen, *reply);
  }
}

/// Answers to pings wait until what was written before is durable, and are lost with their connection: they
/// are judged when they arrive.
void Records::onReport(NodeRecord& memory, const Happened<Family>& seen) {
  const bool reports = holds_alternative<Touched>(*seen.content);
  if (memory.reports.empty() || !(reports || holds_alternative<zab::Ping>(*seen.content))) return;
  auto& heard = memory.reports.front();
  if (reports || !heard.empty()) shared().reports[seen.message] = std::exchange(heard, {});
  if (!reports) memory.reports.pop_front();
}

void Records::onReply(const Happened<Family>& seen, const Reply& reply) {
  NodeRecord& memory = own(seen.node);
  Attendance& client = memory.clients.at(seen.to);
  const auto& request = ledger_.facts().service.request;
  const Error error = reply.result.error;
  const bool unknown = isOfUnknownRequest(reply.zxid, reply.result);
  const bool ends = unknown || error == Error::AUTHFAILED || ledger_.facts().service.ends_local;
  if (request && !unknown && reply.result.code != OpCode::auth && error != Error::NOTREADONLY) {
    const Op& op = request->op;
    if (op.code == OpCode::setWatches && op.watches) {
      found().missed =
          memory.watches.setAgain(rules(), ledger_.own(seen.node).service.state, seen.to, *op.watches);
      found().told_missed = std::exchange(client.told_early, {});
    } else if (isAboutWatches(op.code)) {
      const bool known = model::isKindOfWatch(rules(), op);
      const bool has = known && memory.watches.has(rules(), seen.to, op);
      found().about_watches = !known ? Error::MARSHALLINGERROR : has ? Error::OK : Error::NOWATCHER;
      if (known && op.code == OpCode::removeWatches) memory.watches.remove(rules(), seen.to, op);
    } else if (op.code == OpCode::addWatch) {
      const bool known = model::isKindOfWatch(rules(), op);
      found().about_watches = known ? Error::OK : Error::MARSHALLINGERROR;
      if (known) memory.watches.set(rules(), seen.to, op);
    } else if (error == Error::OK || (op.code == OpCode::exists && error == Error::NONODE)) {
      memory.watches.set(rules(), seen.to, op);
    }
  }
  judgeDue(memory, seen.to);
  if (ledger_.facts().service.ends_local) {
    memory.local.erase(client.session);
    memory.heard.erase(client.session);
  }
  if (ends) closeConnection(memory, seen.to);
}

void Records::judgeDue(NodeRecord& memory, ServerId id) {
  Attendance& client = memory.clients.at(id);
  if (!client.doubtful) {
    if (!client.due.empty()) found().overdue = {id, client.due.front()};
    if (!client.told_early.empty()) found().undue = {id, client.told_early.front()};
  }
  client.due.clear();
  client.told_early.clear();
}

void Records::onEvent(const Happened<Family>& seen) {
  NodeRecord& memory = own(seen.node);
  visit(Overloaded{
            [&](const zab::BasicApplied<ZooKeeper>& applied) {
              // When the role ends, the rest of the log is applied, and nobody is told.
              if (applied.because == zab::AppliedBecause::committed) onApplied(seen.node, applied.txn);
            },
            [&](const ClientRefused& refused) {
              refused_ = true;
              endSessionDuty(memory, refused.client);
              if (refused.reason == RefusedBecause::too_large)
                found().too_large = duties_.too_large == refused.client;
              closeConnection(memory, refused.client);
            },
            [&](const SessionChecked& checked) {
              if (!checked.alive) leaving_.push_back(checked.client);
            },
            [&](const SessionMoved& moved) {
              // What it has asked here may end its connection.
              for (auto& [id, client] : memory.clients)
                client.doubtful = client.doubtful || client.session == moved.session;
            },
            [&](const SessionExpired& expired) { onExpired(seen.node, expired.session); },
            [&](const ReadOnlyChanged& changed) {
              memory.read_only = changed.serves;
              if (!changed.serves) forgetClients(memory);
            },
            [&](const zab::LearnerChanged& changed) {
              if (changed.present) return;
              std::erase_if(memory.syncs,
                            [&](const SyncHere& one) { return one.learner == changed.learner; });
            },
            [&](const SessionUpgraded& upgraded) {
              memory.local.erase(upgraded.session);
              memory.heard.erase(upgraded.session);
            },
            [&](const zab::RoleChanged&) { onRole(seen.node); },
            [&](const zab::PhaseChanged&) { onRole(seen.node); },
            [&](const Requested& requested) { memory.asked[requested.number] = requested.op; },
            [&](const Answered& answered) { onAnswered(memory, answered); },
            [&](const Watched&) { memory.answers.clear(); },
            [&](const ClientStateChanged&) { memory.answers.clear(); },
            [](const auto&) {},
        },
        *seen.event);
}

void Records::onRole(int node) {
  NodeRecord& memory = own(node);
  const bool tracked = std::exchange(memory.tracks, leads(node));
  if (!serves(node)) forgetClients(memory);
  if (tracked || !memory.tracks) return;
  // A new leader gives each session its timeout anew.
  for (const auto& [session, timeout] : ledger_.own(node).service.state.sessions)
    memory.heard[session] = {now(), timeout};
  noteAllUnused(node);
}

void Records::onAnswered(NodeRecord& memory, const Answered& answered) {
  if (answered.number >= 0) return;  // it was told to ask this
  auto& answers = memory.answers;
  if (!answers.empty() && answers.back().first.zxid != answered.zxid) answers.clear();
  const auto same = std::find_if(answers.begin(), answers.end(), [&](const auto& one) {
    return one.first.op == answered.op && one.first.result == answered.result;
  });
  const bool repeats = same != answers.end();
  found().repeated = repeats ? ++same->second : 1;
  if (!repeats) answers.emplace_back(answered, 1);
}

int Records::waitsFor(int contender) {
  const auto& part = ledger_.own(contender).service.part;
  if (!part || part->node.empty() || part->watching.empty()) return -1;
  for (int other = cluster().serverCount(); other < static_cast<int>(cluster().ids.size()); ++other) {
    const auto& its = ledger_.own(other).service.part;
    // A leader may watch its own node, and waits for nobody.
    if (other != contender && its && its->path == part->path && its->node == part->watching) return other;
  }
  return -1;
}

void Records::onApplied(int node, const Txn& txn) {
  NodeRecord& memory = own(node);
  closeLeaving(memory);
  if (!memory.running) return;
  noteApplied(node, txn);
  judgeQuota(node, txn);
  const auto& book = ledger_.own(node).service;
  const bool hides = rules().event_rights == EventRights::read && rules().rights != Rights::unchecked;
  for (const auto& [event, readers] : ledger_.facts().service.effects->events) {
    for (const ServerId id : memory.watches.notify(event)) {
      const auto client = memory.clients.find(id);
      const auto known = book.clients.find(id);
      if (client == memory.clients.end() || known == book.clients.end()) continue;
      if (hides && !model::grants(readers, perms::read, known->second.identities)) continue;
      client->second.due.push_back(event);
    }
  }
  if (txn.payload.kind == TxnKind::close_session) {
    for (const auto& [id, client] : memory.clients) {
      if (client.session == txn.payload.session) leaving_.push_back(id);
    }
  } else if (book.owed && txn.payload.number == book.owed->number) {
    const Result& result = book.owed->result;
    const auto moved = [](const SubResult& part) { return part.error == Error::SESSIONMOVED; };
    const bool unanswered = result.code == OpCode::check && result.error == Error::OK;
    if (unanswered || moved(result) || std::any_of(result.results.begin(), result.results.end(), moved))
      leaving_.push_back(book.owed->client);
  }
}

void Records::noteQuota(int node, UnderQuota& write) {
  const model::State& state = ledger_.own(node).service.state;
  // The number behind a sequential name is not known yet; any will do.
  const bool numbered = creates(write.op.code) && model::isSequential(write.op.flags);
  const auto quota = model::quotaAt(state, write.op.path + (numbered ? "0" : ""));
  if (write.states.empty() || write.states.back() != quota) write.states.push_back(quota);
  const model::Znode* const there = model::nodeAt(state, write.op.path);
  write.replaced = there == nullptr || !there->data ? 0 : static_cast<std::int64_t>(there->data->size());
}

void Records::judgeQuota(int node, const Txn& txn) {
  NodeRecord& memory = own(node);
  const auto& owed = ledger_.own(node).service.owed;
  const auto client = owed ? memory.clients.find(owed->client) : memory.clients.end();
  if (client != memory.clients.end() && txn.payload.kind == TxnKind::single) {
    auto& waiting = client->second.under_quota;
    const auto write = waiting.find(txn.payload.number);
    if (write != waiting.end() && txn.payload.session == client->second.session) {
      const auto& [op, replaced, states] = write->second;
      const Change& change = txn.payload.changes.front();
      const std::int64_t size = op.data ? static_cast<std::int64_t>(op.data->size()) : 0;
      Facts::UnderQuota verdict{.refused = change.error == Error::QUOTAEXCEEDED};
      for (const auto& quota : states) {
        const bool exceeded = creates(op.code) ? model::isExceeded(quota, size, 1)
                                               : model::isExceeded(quota, size - replaced, 0);
        (exceeded ? verdict.may_be_refused : verdict.may_be_done) = true;
      }
      if (verdict.refused || change.kind != ChangeKind::error) found().under_quota = verdict;
      waiting.erase(write);
    }
  }
  for (auto& [id, one] : memory.clients) {
    for (auto& [number, write] : one.under_quota) noteQuota(node, write);
  }
}

void Records::closeLeaving(NodeRecord& memory) {
  for (const ServerId id : std::exchange(leaving_, {})) {
    if (memory.clients.contains(id)) judgeDue(memory, id);
    closeConnection(memory, id);
  }
}

void Records::onExpired(int node, SessionId session) {
  NodeRecord& memory = own(node);
  const auto at = memory.heard.find(session);
  if (at != memory.heard.end()) {
    found().silent = memory.heard.extract(at).mapped();
  } else if (memory.running) {
    found().ended_again = session;
  }
  if (memory.local.erase(session) == 0) return;
  for (const auto& [id, client] : memory.clients) {
    if (client.session == session) leaving_.push_back(id);
  }
}

void Records::onStepOver(int node) {
  NodeRecord& memory = own(node);
  if (isClient(node)) return judgeUse(node);
  judgeOwed(node);
  closeLeaving(memory);
  const auto* connects = input<ConnectRequest>();
  if (connects != nullptr && connects->session != no_session && !refused_) {
    // Of two connections of a session at one server the earlier one ends.
    std::vector<ServerId> others;
    for (const auto& [id, client] : memory.clients) {
      if (client.session == connects->session && id != sender_) others.push_back(id);
    }
    for (const ServerId other : others) closeConnection(memory, other);
  }
  if (connects != nullptr && connects->session != no_session && connects->password && !refused_) {
    const auto client = memory.clients.find(sender_);
    if (client != memory.clients.end()) hear(memory, connects->session, client->second.timeout);
  }
  if (asks_ && !refused_) {
    const auto& [session, timeout] = *asks_;
    hear(memory, session, timeout);
    // Of a session that only this server knows the leader is told nothing.
    if (!leads(node) && !local_) memory.to_report[session] = timeout;
  }
  for (auto& [id, client] : memory.clients) judgeDue(memory, id);
  if (!memory.running) return;
  const Millis tick = config(node).tick_ms;
  for (const auto& [session, heard] : memory.heard) {
    const Millis since = std::max(heard.at, resumedAt(node));
    if (!memory.failed && hasLongPassed(since, heard.timeout + tick)) found().overlong = {session, heard};
  }
  judgeUnused(node);
}

}  // namespace zablab::zookeeper
