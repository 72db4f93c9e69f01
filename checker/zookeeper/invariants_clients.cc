// The invariants of what clients are answered and notified of.
#include <algorithm>
#include <string>

#include "checker/zab/recovery_monitor.h"
#include "checker/zookeeper/ledger.h"
#include "sim/zookeeper/words.h"

namespace zablab::zookeeper {
namespace {

using zab::claim_kinds, zab::stands, zab::words;
using ClientMonitor = zab::BasicRecoveryMonitor<Family>;
using Seen = Happened<Family>;

bool isClient(const Ledger& ledger, int node) {
  return node >= 0 && ledger.cluster().configs[static_cast<std::size_t>(node)].client;
}

/// An answer of a server that shows its state: not the client's own account of a lost connection or session,
/// and not that of credentials, which are checked before anything is shown.
bool showsState(const Answered& answered) {
  const bool by_client = answered.zxid == Zxid{} && (answered.result.error == Error::CONNECTIONLOSS ||
                                                     answered.result.error == Error::SESSIONEXPIRED ||
                                                     answered.result.error == Error::AUTHFAILED);
  return !by_client && answered.op.code != OpCode::auth &&
         !isOfUnknownRequest(answered.zxid, answered.result);
}

class AcknowledgedWrites : public ClientMonitor {
 public:
  explicit AcknowledgedWrites(Ledger& ledger) : ClientMonitor(ledger, kindBits(Kind::sent, Kind::event)) {}
  InvariantInfo info() const override {
    return {"acknowledged-writes", "a write that was answered is in the history of every later leader"};
  }
  void on(const Seen& seen) override {
    const auto& facts = ledger_.facts();
    if (facts.established && !facts.given) return judge(seen.node);
    if (!facts.shown || seen.kind != Kind::sent) return;
    const auto* reply = get_if<Reply>(seen.content);
    if (reply == nullptr || !model::changesState(reply->result.code) || facts.service.ends_local) return;
    const History& memory = own(seen.node).memory;
    const auto place = zab::find(memory, reply->zxid);
    if (!place) return passOver();
    auto& last = shared().service.answered[own(seen.node).current()];
    if (last.entry.chain == 0 || last.place < *place) last = {*place, memory[*place]};
  }

 private:
  void judge(int leader) {
    const Epoch& led = shared().epochs.back();
    for (const auto& [epoch, write] : shared().service.answered) {
      if (epoch > led.epoch) continue;
      check(stands(led.initial, write.place, write.entry), [&, &write = write] {
        return phrase("{zxid} was answered, and {leader}, which leads epoch {epoch}, does not have it",
                      words(write.entry.zxid()), server(leader), led.epoch);
      });
    }
  }
};

class MonotonicReads : public ClientMonitor {
 public:
  explicit MonotonicReads(Ledger& ledger) : ClientMonitor(ledger, kindBits(Kind::event, Kind::stopped)) {}
  InvariantInfo info() const override {
    return {"monotonic-reads", "a session is never shown an older state than it has seen"};
  }
  void on(const Seen& seen) override {
    auto& last = own(seen.node).service.seen;
    if (seen.kind == Kind::stopped) {  // another process does not know what this one has seen
      last.reset();
      return;
    }
    if (const auto* state = get_if<ClientStateChanged>(seen.event)) {
      if (state->to == ClientState::CLOSED) last.reset();
      return;
    }
    const auto* answered = get_if<Answered>(seen.event);
    if (answered == nullptr || !showsState(*answered)) return;
    if (last) {
      check(answered->zxid >= *last, [&] {
        return phrase("{client} has seen {zxid} and is shown {older}", client(seen.node), words(*last),
                      words(answered->zxid));
      });
    }
    last = last ? std::max(*last, answered->zxid) : answered->zxid;
  }
};

class TransactionsTrue : public ClientMonitor {
 public:
  explicit TransactionsTrue(Ledger& ledger) : ClientMonitor(ledger, kindBits(Kind::event)) {}
  InvariantInfo info() const override {
    return {
        "transactions-true",
        "a write becomes the transaction that it demands of the tree which everything before it leads to"};
  }
  void on(const Seen& seen) override {
    const auto& facts = ledger_.facts().service;
    if (!facts.demanded) return;
    const auto* applied = get_if<zab::BasicApplied<ZooKeeper>>(seen.event);
    if (applied == nullptr) return;
    const Payload& made = applied->txn.payload;
    // Whether the session may write at all is the leader's knowledge.
    if (std::any_of(made.changes.begin(), made.changes.end(), refusesSession)) return passOver();
    check(made.kind == facts.demanded->kind && inOrder(made) == inOrder(*facts.demanded), [&] {
      return phrase("{server} applies {zxid}, which does {changes}; request {number} demands {others}",
                    server(seen.node), words(applied->txn.zxid), does(made.changes), made.number,
                    does(facts.demanded->changes));
    });
  }

 private:
  /// Without the order in which hash tables have the nodes of a session that ends, and a client's identities.
  template <class Transaction>
  static std::vector<Change> inOrder(const Transaction& transaction) {
    std::vector<Change> changes = transaction.changes;
    for (Change& change : changes) std::sort(change.acl.begin(), change.acl.end());
    if (transaction.kind == TxnKind::close_session)
      std::sort(changes.begin(), changes.end(),
                [](const Change& a, const Change& b) { return a.path < b.path; });
    return changes;
  }

  static bool refusesSession(const Change& change) {
    return change.error == Error::SESSIONMOVED || change.error == Error::SESSIONEXPIRED ||
           change.error == Error::EPHEMERALONLOCALSESSION;
  }

  static Phrase does(const std::vector<Change>& changes) {
    const auto does = [](const Change& change) {
      return std::string(enumName(change.kind)) + " " +
             (change.kind == ChangeKind::error ? std::string(enumName(change.error)) : change.path);
    };
    return listOf(changes, does, phrase("nothing"));
  }
};

class AnswersTrue : public ClientMonitor {
 public:
  explicit AnswersTrue(Ledger& ledger) : ClientMonitor(ledger, kindBits(Kind::sent)) {}
  InvariantInfo info() const override {
    return {
        "answers-true",
        "an answer is what the tree says to the request at the zxid that the answer names, and the answer "
        "to a write names the transaction that was made from it"};
  }
  void on(const Seen& seen) override {
    const auto* reply = get_if<Reply>(seen.content);
    if (reply == nullptr || seen.link != client_link) return;
    if (reply->result.code == OpCode::auth) return judgeProof(seen, *reply);
    const auto& request = ledger_.facts().service.request;
    if (!request) {
      return check(false, [&] {
        return phrase("{server} answers request {number} of {client}, which is not waiting for it",
                      server(seen.node), reply->number, Phrase::client(seen.to));
      });
    }
    if (reply->result.error == Error::NOTREADONLY) {
      judgeState(seen, *reply, *request);
      return check(own(seen.node).role == zab::Role::LOOKING, [&] {
        return phrase("{server} refuses {request} as read-only, and has a leader", server(seen.node),
                      words(request->op));
      });
    }
    if (isOfUnknownRequest(reply->zxid, reply->result)) {
      const bool known =
          request->op.code != OpCode::check && ledger_.cluster().rules.operations == Operations::all;
      return check(!known, [&] {
        return phrase("{server} says that it does not know {request}", server(seen.node), words(request->op));
      });
    }
    const bool is_transaction = model::changesState(request->op.code) && !ledger_.facts().service.ends_local;
    is_transaction ? judgeWrite(seen, *reply, *request) : judgeRead(seen, *reply, *request);
  }

 private:
  void judgeWrite(const Seen& seen, const Reply& reply, const Waiting& request) {
    const auto& book = own(seen.node).service;
    const History& memory = own(seen.node).memory;
    const bool applied_now = !memory.empty() && memory.back().zxid() == reply.zxid && book.at == reply.zxid;
    const bool made_from_it = applied_now && memory.back().txn.payload.number == reply.number;
    check(made_from_it, [&] {
      return phrase("{server} answers request {number}, {request}, with {zxid}, which was not made from it",
                    server(seen.node), reply.number, words(request.op), words(reply.zxid));
    });
    if (!made_from_it) return;
    if (!book.owed || book.owed->client != seen.to || book.owed->number != reply.number) return passOver();
    const Result& owed = book.owed->result;
    // That a local session is no global one is known here alone.
    if (reply.result.error == Error::EPHEMERALONLOCALSESSION && owed.error == Error::SESSIONEXPIRED)
      return passOver();
    check(model::saySame(reply.result, owed), [&] {
      return phrase("{server} answers {request} with {result}, and {zxid} has led to {expected}",
                    server(seen.node), words(request.op), words(reply.result), words(reply.zxid),
                    words(owed));
    });
  }

  void judgeProof(const Seen& seen, const Reply& reply) {
    const auto& requests = own(seen.node).service.clients[seen.to].requests;
    const auto asked = std::find_if(requests.begin(), requests.end(), [&](const Waiting& request) {
      return request.op.code == OpCode::auth && request.number == reply.number;
    });
    if (asked == requests.end()) return;
    const bool proves = model::proved(asked->op.credentials).has_value();
    check(proves == (reply.result.error == Error::OK), [&] {
      return phrase("{server} answers {request} with {result}", server(seen.node), words(asked->op),
                    words(reply.result));
    });
  }

  void judgeState(const Seen& seen, const Reply& reply, const Waiting& request) {
    const auto& book = own(seen.node).service;
    // If an epoch has begun and has no transaction yet, its own zxid represents the state.
    const bool reached = reply.zxid == book.at || (reply.zxid > book.at && reply.zxid.counter() == 0);
    check(reached, [&] {
      return phrase("{server} answers {request} with {zxid}, and is at {last}", server(seen.node),
                    words(request.op), words(reply.zxid), words(book.at));
    });
  }

  void judgeRead(const Seen& seen, const Reply& reply, const Waiting& request) {
    judgeState(seen, reply, request);
    const auto& book = own(seen.node).service;
    const auto* connection = ledger_.facts().service.connection;
    // What depends on the server's own tables is judged by the events.
    if (request.op.code >= OpCode::addWatch && request.op.code <= OpCode::setWatches) return passOver();
    const Result expected =
        model::answerTo(judgedBy(ledger_), book.state, {connection->session, request.op, request.identities});
    check(model::saySame(reply.result, expected), [&] {
      return phrase("{server} answers {request} with {result}, and its tree says {expected}",
                    server(seen.node), words(request.op), words(reply.result), words(expected));
    });
  }
};

class AnswersInOrder : public ClientMonitor {
 public:
  explicit AnswersInOrder(Ledger& ledger)
      : ClientMonitor(ledger, kindBits(Kind::asked, Kind::event, Kind::stopped)) {}
  InvariantInfo info() const override {
    return {"answers-in-order", "a client is answered in the order in which it asked"};
  }
  void on(const Seen& seen) override {
    if (!isClient(ledger_, seen.node)) return;
    auto& asked = own(seen.node).service.asked;
    if (seen.kind == Kind::stopped) return asked.clear();
    if (seen.kind == Kind::asked) {
      if (seen.request->instruction == Instruction::operate)
        asked.push_back({seen.request->number, seen.request->op});
      return;
    }
    if (const auto* requested = get_if<Requested>(seen.event))
      asked.push_back({requested->number, requested->op});
    const auto* answered = get_if<Answered>(seen.event);
    if (answered == nullptr) return;
    const auto at = std::find_if(asked.begin(), asked.end(),
                                 [&](const Waiting& request) { return request.number == answered->number; });
    if (showsState(*answered)) {
      const auto first = std::find_if(asked.begin(), asked.end(),
                                      [](const Waiting& request) { return request.op.code != OpCode::auth; });
      check(at == first && at != asked.end(), [&] {
        const Phrase self = client(seen.node);
        return at == asked.end()
                   ? phrase("{client} gets the answer to request {number}, for which it does not wait", self,
                            answered->number)
                   : phrase("{client} gets the answer to request {number} before request {first}", self,
                            answered->number, first->number);
      });
    }
    if (at != asked.end()) asked.erase(at);
  }
};

class SyncThroughLeader : public ClientMonitor {
 public:
  explicit SyncThroughLeader(Ledger& ledger)
      : ClientMonitor(ledger, kindBits(Kind::sent, Kind::delivered, Kind::written, Kind::event)) {}
  InvariantInfo info() const override {
    return {
        "sync-through-leader",
        "a sync is answered only after the leader was asked, and has committed what it had proposed by then"};
  }
  void on(const Seen& seen) override {
    auto& memory = own(seen.node);
    switch (seen.kind) {
      case Kind::written: {
        const auto* write = get_if<zab::BasicWriteTxn<ZooKeeper>>(seen.record);
        const bool proposes = memory.role == zab::Role::LEADING && memory.phase == zab::Phase::broadcast;
        if (write != nullptr && proposes) memory.service.proposed = write->txn.zxid;
        return;
      }
      case Kind::event: {
        const auto* changed = get_if<zab::LearnerChanged>(seen.event);
        if (changed == nullptr || changed->present) return;
        std::erase_if(memory.service.forwarded,
                      [&](const ForwardedSync& one) { return one.learner == changed->learner; });
        return;
      }
      case Kind::delivered: {
        const auto* asked = get_if<Forwarded>(seen.content);
        if (asked == nullptr || asked->op.code != OpCode::sync || memory.role != zab::Role::LEADING) return;
        memory.service.forwarded.push_back(
            {ledger_.id(seen.from), asked->session, asked->number, memory.service.proposed});
        return;
      }
      default: return onSent(seen);
    }
  }

 private:
  void onSent(const Seen& seen) {
    auto& memory = own(seen.node);
    if (const auto* done = get_if<SyncDone>(seen.content)) {
      auto& forwarded = memory.service.forwarded;
      const auto at = std::find_if(forwarded.begin(), forwarded.end(), [&](const ForwardedSync& one) {
        return one.learner == seen.to && one.session == done->session && one.number == done->number;
      });
      if (at == forwarded.end()) return passOver();
      const Zxid after = at->after;
      const Zxid last = memory.memory.empty() ? Zxid{} : memory.memory.back().zxid();
      forwarded.erase(at);
      check(after <= last, [&] {
        return phrase(
            "{server} says that a sync is done, and has not committed {zxid}, which it had "
            "proposed when it was asked",
            server(seen.node), words(after));
      });
    } else if (const auto* reply = get_if<Reply>(seen.content)) {
      const auto& request = ledger_.facts().service.request;
      if (reply->result.code != OpCode::sync || !request) return;
      if (reply->result.error == Error::NOTREADONLY) return passOver();
      check(request->done || memory.role == zab::Role::LEADING, [&] {
        return phrase("{server} answers a sync of {client} that its leader has not answered",
                      server(seen.node), Phrase::client(seen.to));
      });
    }
  }
};

class SessionOrder : public ClientMonitor {
 public:
  explicit SessionOrder(Ledger& ledger) : ClientMonitor(ledger, claim_kinds) {}
  InvariantInfo info() const override {
    return {"session-order",
            "the writes of a session are committed at most once, in the order in which they were asked"};
  }
  void on(const Seen&) override {
    if (ledger_.facts().given) return;
    forNewClaims([&](std::size_t position, const Claim& claim) {
      const Payload& payload = claim.entry.txn.payload;
      if (payload.session == no_session || payload.number <= 0 || isOutOfOrder(payload)) return;
      const auto& claims = shared().claims;
      const auto later = std::find_if(claims.begin(), claims.begin() + static_cast<std::ptrdiff_t>(position),
                                      [&](const Claim& other) {
                                        const Payload& before = other.entry.txn.payload;
                                        return before.session == payload.session &&
                                               before.number >= payload.number && !isOutOfOrder(before);
                                      });
      check(later == claims.begin() + static_cast<std::ptrdiff_t>(position), [&] {
        return phrase(
            "request {number} of session {session} is committed as {zxid}, after its request "
            "{later} as {other}",
            payload.number, payload.session, words(claim.entry.zxid()), later->entry.txn.payload.number,
            words(later->entry.zxid()));
      });
    });
  }

 private:
  /// What changes nothing, and the closing of a session, which a connection may ask for that it has left.
  static bool isOutOfOrder(const Payload& payload) {
    return payload.kind == TxnKind::close_session ||
           std::all_of(payload.changes.begin(), payload.changes.end(), [](const Change& change) {
             return change.kind == ChangeKind::error || change.kind == ChangeKind::check;
           });
  }
};

class SessionsEnd : public ClientMonitor {
 public:
  explicit SessionsEnd(Ledger& ledger) : ClientMonitor(ledger, kindBits(Kind::event)) {}
  InvariantInfo info() const override {
    return {
        "sessions-end",
        "every ephemeral node belongs to a session that is not over, and only such sessions are accepted"};
  }
  void on(const Seen& seen) override {
    if (const auto* checked = get_if<SessionChecked>(seen.event)) return judgeAccepted(seen.node, *checked);
    if (!ledger_.facts().service.applied) return;
    const auto* applied = get_if<zab::BasicApplied<ZooKeeper>>(seen.event);
    if (applied != nullptr) judgeApplied(seen.node, *applied);
  }

 private:
  /// The leader knows a session that is upgraded before the servers have the transaction.
  bool isBeingUpgraded(SessionId session, Zxid here) const {
    if (session < local_ids_apart) return false;
    const auto& upgraded = shared().service.upgraded;
    const auto at = upgraded.find(session);
    return at != upgraded.end() && here < at->second;
  }

  void judgeAccepted(int node, const SessionChecked& checked) {
    if (!checked.alive) return;
    const auto& book = own(node).service;
    check(book.state.sessions.contains(checked.session) || book.local.contains(checked.session) ||
              isBeingUpgraded(checked.session, book.at),
          [&] {
            return phrase(
                "{server} accepts session {session} of {client}, and its history says that there "
                "is no such session",
                server(node), checked.session, Phrase::client(checked.client));
          });
  }

  void judgeApplied(int node, const zab::BasicApplied<ZooKeeper>& applied) {
    const model::State& state = own(node).service.state;
    const Payload& payload = applied.txn.payload;
    if (payload.kind == TxnKind::close_session) {
      const std::vector<std::string> left = model::ephemeralsOf(state, payload.session);
      check(left.empty(), [&] {
        return phrase("session {session} is over with {zxid}, and its ephemeral node {path} is still there",
                      payload.session, words(applied.txn.zxid), left.front());
      });
    }
    for (const Change& change : payload.changes) {
      if (change.kind != ChangeKind::create || change.node_kind != NodeKind::ephemeral) continue;
      const auto session = state.sessions.find(payload.session);
      check(session != state.sessions.end() && session->second > 0, [&] {
        return phrase("{zxid} creates the ephemeral node {path} for session {session}, which is over",
                      words(applied.txn.zxid), change.path, payload.session);
      });
    }
  }
};

/// What a change means for a watch.
bool concerns(const std::string& path, const WatchSet& watch, const Change& change) {
  const bool creates = change.kind == ChangeKind::create;
  const bool removes = change.kind == ChangeKind::remove;
  const bool sets = change.kind == ChangeKind::set_data;
  if (!creates && !removes && !sets) return false;
  const bool itself = change.path == path;
  if (watch.mode == WatchMode::recursive) {
    const bool below = !path.empty() && change.path.starts_with(model::below(path));
    // The table of children is asked about deletions alone.
    return (itself || below) && (!watch.child || removes);
  }
  const bool in_list = (creates || removes) && model::above(change.path) == path;
  if (!watch.child) return itself;
  return in_list || (removes && itself);
}

bool concerns(const std::string& path, const WatchSet& watch, const NodeEvent& event) {
  if (watch.mode == WatchMode::recursive) {
    if (watch.child && event.type != EventType::NodeDeleted) return false;
    return event.path == path || (!path.empty() && event.path.starts_with(model::below(path)));
  }
  if (event.path != path) return false;
  if (event.type == EventType::NodeDeleted) return true;
  return watch.child == (event.type == EventType::NodeChildrenChanged);
}

class Notified : public ClientMonitor {
 public:
  explicit Notified(Ledger& ledger) : ClientMonitor(ledger, kindBits(Kind::event, Kind::stopped)) {}
  InvariantInfo info() const override {
    return {"watch-before-data",
            "a client is notified of a change that it watches before it gets an answer from a state with the "
            "change, and of nothing that it does not watch"};
  }
  void on(const Seen& seen) override {
    // A raw client does not register its watches again.
    if (!isClient(ledger_, seen.node) || ledger_.config(seen.node).raw) return;
    auto& watches = own(seen.node).service.watches;
    if (seen.kind == Kind::stopped) {
      own(seen.node).service.twice.clear();
      return watches.clear();
    }
    if (const auto* answered = get_if<Answered>(seen.event)) {
      onAnswered(seen.node, *answered);
    } else if (const auto* watched = get_if<Watched>(seen.event)) {
      onWatched(seen.node, *watched);
    } else if (const auto* state = get_if<ClientStateChanged>(seen.event)) {
      if (state->to == ClientState::CLOSED || state->to == ClientState::AUTH_FAILED) watches.clear();
      if (state->to != ClientState::CONNECTED && state->to != ClientState::CONNECTEDREADONLY) return;
      for (auto& [path, watch] : watches) {
        watch.rejoined = true;
        watch.doubtful = false;
      }
    }
  }

 private:
  using WatchMap = std::multimap<std::string, WatchSet>;

  void onAnswered(int node, const Answered& answered) {
    if (!showsState(answered)) return;
    WatchMap& watches = own(node).service.watches;
    own(node).service.twice.clear();
    for (auto& [path, watch] : watches) {
      // While the client is away, a node that is created and deleted leaves no trace, and persistent watches
      // miss everything.
      const bool unseen = watch.rejoined && (watch.absent || watch.mode != WatchMode::once);
      watch.rejoined = false;
      if (!unseen) judge(node, path, watch, answered);
      watch.since = std::max(watch.since, answered.zxid);
    }
    note(watches, answered);
  }

  /// Whether the change is about a node that not everybody may read, so that this client may not be notified.
  bool isGuarded(const std::string& path, const WatchSet& watch, Zxid zxid) const {
    const auto& guarded = shared().service.guarded;
    const auto at = guarded.find(zxid);
    return at != guarded.end() && std::any_of(at->second.begin(), at->second.end(), [&](const auto& event) {
             return concerns(path, watch, event);
           });
  }

  void judge(int node, const std::string& path, WatchSet& watch, const Answered& answered) {
    if (answered.zxid <= watch.since || watch.doubtful) return;
    const auto& claims = shared().claims;
    const auto first =
        std::upper_bound(claims.begin(), claims.end(), watch.since,
                         [](Zxid since, const Claim& claim) { return since < claim.entry.zxid(); });
    for (auto claim = first; claim != claims.end() && claim->entry.zxid() <= answered.zxid; ++claim) {
      if (isGuarded(path, watch, claim->entry.zxid())) {
        watch.doubtful = watch.mode == WatchMode::once;
        if (watch.doubtful) return;
        continue;
      }
      for (const Change& change : claim->entry.txn.payload.changes) {
        check(!concerns(path, watch, change), [&] {
          return phrase(
              "{client} watches {path} and gets an answer from {zxid} before it is notified of "
              "{change}",
              client(node), path, words(answered.zxid), words(claim->entry.zxid()));
        });
      }
    }
  }

  void note(WatchMap& watches, const Answered& answered) const {
    const Op& op = answered.op;
    const bool found = answered.result.error == Error::OK;
    switch (op.code) {
      case OpCode::exists:
        if (op.watch && (found || answered.result.error == Error::NONODE))
          set(watches, op.path, {false, WatchMode::once, answered.zxid, !found});
        return;
      case OpCode::getData:
        if (op.watch && found) set(watches, op.path, {false, WatchMode::once, answered.zxid});
        return;
      case OpCode::getChildren:
      case OpCode::getChildren2:
        if (op.watch && found) set(watches, op.path, {true, WatchMode::once, answered.zxid});
        return;
      case OpCode::addWatch:
        if (!found) return;
        for (const bool child : {false, true}) {
          if (child && op.kind == 1 && ledger_.cluster().rules.watch_modes == WatchModes::side_by_side)
            continue;
          set(watches, op.path,
              {child, op.kind == 1 ? WatchMode::recursive : WatchMode::persistent, answered.zxid});
        }
        return;
      case OpCode::removeWatches:
        if (!found) return;
        std::erase_if(watches, [&](const auto& one) {
          return one.first == op.path && isMeant(WatcherType{op.kind}, one.second);
        });
        return;
      default: return;
    }
  }

  /// Whether removeWatches of this type removes the watch.
  bool isMeant(WatcherType type, const WatchSet& watch) const {
    if (type == WatcherType::any) return true;
    if (type == WatcherType::persistent) return watch.mode == WatchMode::persistent;
    if (type == WatcherType::recursive) return watch.mode == WatchMode::recursive;
    const bool of_mode =
        ledger_.cluster().rules.watch_removal == WatchRemoval::by_table || watch.mode == WatchMode::once;
    return of_mode && watch.child == (type == WatcherType::children);
  }
  /// A watch of another mode stays, or is replaced at the server and comes back with the next connection.
  void set(WatchMap& watches, const std::string& path, WatchSet watch) const {
    std::erase_if(watches, [&](const auto& one) {
      return one.first == path && one.second.child == watch.child && one.second.mode == watch.mode;
    });
    if (ledger_.cluster().rules.watch_modes == WatchModes::last_one) {
      const auto [from, to] = watches.equal_range(path);
      for (auto other = from; other != to; ++other) {
        if (other->second.child == watch.child) other->second.doubtful = true;
      }
    }
    watches.emplace(path, watch);
  }

  void onWatched(int node, const Watched& watched) {
    const NodeEvent& event = watched.event;
    WatchMap& watches = own(node).service.watches;
    // Two watches of a node that are registered again are answered one by one.
    auto& twice = own(node).service.twice;
    bool wanted = event.type == EventType::NodeDeleted && twice.erase(event.path) > 0;
    int rejoined = 0;
    for (auto watch = watches.begin(); watch != watches.end();) {
      const bool it = concerns(watch->first, watch->second, event);
      wanted = wanted || it;
      if (it && watch->first == event.path && watch->second.rejoined) ++rejoined;
      if (it) watch->second.since = std::max(watch->second.since, watched.zxid);
      watch = it && watch->second.mode == WatchMode::once ? watches.erase(watch) : std::next(watch);
    }
    if (event.type == EventType::NodeDeleted && rejoined > 1) twice.insert(event.path);
    check(wanted, [&] {
      return phrase("{client} is notified of {event} {path}, which it does not watch", client(node),
                    enumName(event.type), event.path);
    });
  }
};

}  // namespace

}  // namespace zablab::zookeeper

namespace zablab {

std::vector<std::unique_ptr<Monitor<zookeeper::Family>>> zab::ServiceBook<zookeeper::Family>::monitors(
    zookeeper::Ledger& ledger) {
  using namespace zookeeper;
  std::vector<std::unique_ptr<Monitor<Family>>> monitors;
  monitors.push_back(std::make_unique<AcknowledgedWrites>(ledger));
  monitors.push_back(std::make_unique<MonotonicReads>(ledger));
  monitors.push_back(std::make_unique<SyncThroughLeader>(ledger));
  monitors.push_back(std::make_unique<TransactionsTrue>(ledger));
  monitors.push_back(std::make_unique<AnswersTrue>(ledger));
  monitors.push_back(std::make_unique<AnswersInOrder>(ledger));
  monitors.push_back(std::make_unique<SessionOrder>(ledger));
  monitors.push_back(std::make_unique<SessionsEnd>(ledger));
  monitors.push_back(std::make_unique<Notified>(ledger));
  addRecipes(ledger, monitors);
  return monitors;
}

}  // namespace zablab
