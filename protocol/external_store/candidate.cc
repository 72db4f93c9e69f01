// A candidate: its lease, the election, and what it does as a leader.
#include <algorithm>
#include <utility>

#include "protocol/external_store/context.h"
#include "protocol/overloaded.h"

namespace zablab::external_store {
namespace {

Candidate& self(const Context& ctx) { return *ctx.node.candidate; }
bool isQueue(const Context& ctx) { return ctx.rules.procedure == Procedure::queue; }
MarkKey other(MarkKey mark) { return mark == MarkKey::first ? MarkKey::second : MarkKey::first; }
bool asks(const Context& ctx, Asking what) {
  const auto& asking = self(ctx).asking;
  return std::find(asking.begin(), asking.end(), what) != asking.end();
}

/// It does not look at its own key, nor at its lease, while it waits.
bool trustsTheWait(const Context& ctx) { return isQueue(ctx) && ctx.rules.waiter == Waiter::trusts_the_wait; }

Key ownKey(const Context& ctx) {
  return isQueue(ctx) ? Key{Prefix::queue, self(ctx).lease} : Key{Prefix::leader};
}

void ask(const Context& ctx, Asking what, Txn txn) {
  self(ctx).asking.push_back(what);
  ctx.send(store_link, storeOf(ctx), TxnRequest{std::move(txn)});
}

void answer(const Context& ctx, const Work& work, Outcome outcome) {
  ctx.send(client_link, work.client, Answer{work.number, outcome});
}

// ---- the election

void askForKey(const Context& ctx, std::vector<Compare> compares) {
  const Key key = ownKey(ctx);
  ask(ctx, Asking::key,
      {std::move(compares), {{Does::put, key, ctx.node.self, self(ctx).lease}}, {{Does::get, key}}});
}

/// Does what is due for a candidate that looks for a leader, once it can count on its lease.
void proceed(const Context& ctx) {
  Candidate& me = self(ctx);
  if (me.role != Role::LOOKING || !me.connected || me.lease == 0) return;
  if (me.doubtful && !(trustsTheWait(ctx) && me.token != 0)) return;
  if (asks(ctx, Asking::key) || asks(ctx, Asking::look) || asks(ctx, Asking::line)) return;
  if (isQueue(ctx) && me.token != 0) return ask(ctx, Asking::line, {{}, {whoLeads(ctx.rules)}, {}});
  ctx.emit(Contends{me.lease});
  if (!isQueue(ctx) && ctx.rules.acquire == Acquire::get_then_put)
    return ask(ctx, Asking::look, {{}, {whoLeads(ctx.rules)}, {}});
  askForKey(ctx, {{ownKey(ctx), 0}});
}

/// Its lease is to be renewed some time before it ends.
void setKeepalive(const Context& ctx) {
  const Millis ttl_ms = self(ctx).ttl_ms;
  ctx.set(TimerKind::keepalive, ctx.rules.renews_after == RenewsAfter::a_third ? ttl_ms / 3 : ttl_ms);
}

void becomeLeader(const Context& ctx, ElectedWhy why) {
  Candidate& me = self(ctx);
  me.role = Role::LEADING;
  me.holder = ctx.node.self;
  me.watched.reset();
  ctx.emit(Elected{me.token, why});
}

/// It has been elected. Before it acts it reads its clock: it may have been paused since it asked.
void lead(const Context& ctx, ElectedWhy why) {
  Candidate& me = self(ctx);
  if (trustsTheWait(ctx)) {
    becomeLeader(ctx, why);
    return setKeepalive(ctx);
  }
  if (me.doubtful) return;  // it proceeds when its lease is renewed
  if (ctx.rules.step_down == StepDown::never || ctx.rules.deadline == Deadline::from_reply)
    return becomeLeader(ctx, why);
  me.elected = why;
  ctx.out.push_back(V::AskAge{me.answered});
}

void stepDown(const Context& ctx, StepDownWhy why) {
  Candidate& me = self(ctx);
  ctx.emit(SteppedDown{me.token, why});
  me.role = Role::LOOKING;
  me.holder.reset();
  if (!isQueue(ctx)) me.token = 0;
  if (ctx.rules.unfinished_work == UnfinishedWork::finished) return;
  ctx.cancel(TimerKind::work);
  for (const Work& work : me.works) {
    if (!work.sent) answer(ctx, work, Outcome::refused);
  }
  std::erase_if(me.works, [](const Work& work) { return !work.sent; });
}

void watchKey(const Context& ctx) {
  const Candidate& me = self(ctx);
  const std::int64_t from = ctx.rules.watch_from == WatchFrom::now ? 0 : me.seen + 1;
  ctx.send(store_link, storeOf(ctx), Watch{*me.watched, false, from});
}

void follow(const Context& ctx, const KeyValue& there, std::int64_t revision) {
  Candidate& me = self(ctx);
  me.role = Role::FOLLOWING;
  me.holder = there.value;
  me.watched = there.key;
  me.seen = revision;
  ctx.emit(Follows{there.value, there.create_revision});
  watchKey(ctx);
}

void onLine(const Context& ctx, const TxnReply& reply) {
  Candidate& me = self(ctx);
  if (me.role != Role::LOOKING) return;
  const KeyValue* before = nullptr;
  bool own = false;
  for (const KeyValue& one : reply.found) {
    own = own || one.create_revision == me.token;
    if (one.create_revision >= me.token) continue;
    const bool later = before != nullptr && one.create_revision > before->create_revision;
    const bool better = ctx.rules.waits_for == WaitsFor::the_one_before ? later : !later;
    if (before == nullptr || better) before = &one;
  }
  if (!own && ctx.rules.waiter == Waiter::checks_its_key) {
    me.token = 0;
    return proceed(ctx);
  }
  if (before != nullptr) return follow(ctx, *before, reply.revision);
  lead(ctx, ElectedWhy::first_in_line);
}

void onKeyReply(const Context& ctx, const TxnReply& reply) {
  Candidate& me = self(ctx);
  if (me.role != Role::LOOKING) return;
  if (!reply.succeeded) {
    const KeyValue& there = reply.found.front();
    const bool own = isQueue(ctx) || (ctx.rules.on_exists == OnExists::compares_lease &&
                                      there.value == ctx.node.self && there.lease == me.lease);
    if (!own) return follow(ctx, there, reply.revision);
    me.token = there.create_revision;
  } else {
    me.token = reply.revision;
  }
  if (isQueue(ctx)) return proceed(ctx);
  lead(ctx, reply.succeeded ? ElectedWhy::created : ElectedWhy::own_key);
}

void onDeleted(const Context& ctx, const Change& change) {
  Candidate& me = self(ctx);
  me.watched.reset();
  ctx.emit(Notified{change.what.value, change.revision});
  if (me.role == Role::LEADING) stepDown(ctx, StepDownWhy::lease_ended);
  me.role = Role::LOOKING;
  me.holder.reset();
  if (isQueue(ctx) && ctx.rules.waiter == Waiter::trusts_the_notification && me.token != 0)
    return lead(ctx, ElectedWhy::first_in_line);
  proceed(ctx);
}

// ---- a resignation

void askForRelease(const Context& ctx) {
  const Candidate& me = self(ctx);
  std::vector<Compare> compares;
  if (ctx.rules.release == Release::compared) compares.push_back({ownKey(ctx), me.resigning->token});
  ask(ctx, Asking::release, {std::move(compares), {{Does::erase, ownKey(ctx)}}, {}});
}

void resign(const Context& ctx, const Work& asked) {
  Candidate& me = self(ctx);
  me.resigning = {me.token, {}};
  if (asked.client != no_server) me.resigning->clients.push_back(asked);
  stepDown(ctx, StepDownWhy::resigned);
  me.role = Role::FOLLOWING;
  me.token = 0;
  ctx.set(TimerKind::again, me.ttl_ms);
}

/// The key of who has resigned is gone, or that is not known and will not be.
void concludeResignation(const Context& ctx, Outcome outcome) {
  const auto over = std::exchange(self(ctx).resigning, std::nullopt);
  if (!over) return;
  for (const Work& one : over->clients) answer(ctx, one, outcome);
}

/// There is a connection to the store with which nothing is under way, or there is none.
void releaseIfPossible(const Context& ctx) {
  const Candidate& me = self(ctx);
  if (!me.resigning || asks(ctx, Asking::release)) return;
  if (me.connected && me.lease != 0) return askForRelease(ctx);
  if (ctx.rules.resignation == Resignation::asked_once) concludeResignation(ctx, Outcome::unknown);
}

// ---- members

void noteMember(const Context& ctx, ServerId member, bool there) {
  auto& members = self(ctx).members;
  const bool changes = there ? members.insert(member).second : members.erase(member) > 0;
  if (changes) ctx.emit(MemberChanged{member, there});
}

void join(const Context& ctx) {
  const ServerId id = ctx.node.self;
  ask(ctx, Asking::join, {{}, {{Does::put, {Prefix::member, id}, id, self(ctx).lease}}, {}});
}

/// If it has a lease and is none of them, what it has asked for was lost with a connection.
void onMembers(const Context& ctx, const TxnReply& reply) {
  Candidate& me = self(ctx);
  const std::set<ServerId> before = me.members;
  std::set<ServerId> now;
  for (const KeyValue& one : reply.found) now.insert(one.value);
  for (const ServerId one : before) noteMember(ctx, one, now.contains(one));
  for (const ServerId one : now) noteMember(ctx, one, true);
  me.members_seen = reply.revision;
  const bool joined = std::any_of(reply.found.begin(), reply.found.end(), [&](const KeyValue& one) {
    return one.value == ctx.node.self && one.lease == me.lease;
  });
  if (me.lease != 0 && !joined && !asks(ctx, Asking::join)) join(ctx);
  ctx.send(store_link, storeOf(ctx), Watch{{Prefix::member}, true, reply.revision + 1});
}

// ---- the lease

void requestLease(const Context& ctx) {
  Candidate& me = self(ctx);
  if (!me.connected || me.lease != 0 || me.renewing) return;
  me.renewing = true;
  ctx.out.push_back(V::Mark{other(me.answered)});
  ctx.send(store_link, storeOf(ctx), LeaseGrant{ctx.config.ttl_ms});
}

void renew(const Context& ctx) {
  Candidate& me = self(ctx);
  if (!me.connected || me.lease == 0 || me.renewing) return;
  me.renewing = true;
  ctx.out.push_back(V::Mark{other(me.answered)});
  ctx.send(store_link, storeOf(ctx), KeepAlive{me.lease});
}

Millis limitMs(const Context& ctx) {
  return self(ctx).ttl_ms - (ctx.rules.margin == Margin::kept ? ctx.config.margin_ms : 0);
}

void onDeadline(const Context& ctx) {
  Candidate& me = self(ctx);
  me.doubtful = true;
  if (me.role == Role::LEADING) stepDown(ctx, StepDownWhy::deadline);
}

/// The store has answered that the lease exists.
void onAnswered(const Context& ctx) {
  Candidate& me = self(ctx);
  me.answered = other(me.answered);
  ctx.out.push_back(V::AskAge{me.answered});
}

/// The last request that was answered was sent so long ago.
void onAge(const Context& ctx, std::optional<Millis> age) {
  Candidate& me = self(ctx);
  const auto elected = std::exchange(me.elected, std::nullopt);
  if (me.lease == 0) return;
  const Millis used = ctx.rules.deadline == Deadline::from_reply ? 0 : age.value_or(limitMs(ctx));
  const bool steps_down = ctx.rules.step_down == StepDown::at_deadline;
  if (steps_down && used >= limitMs(ctx)) {
    onDeadline(ctx);
    return renew(ctx);
  }
  if (steps_down) {  // also where it has been set: while the process stood still, it was not counted
    me.doubtful = false;
    ctx.set(TimerKind::deadline, limitMs(ctx) - used);
  }
  if (elected) return becomeLeader(ctx, *elected);
  proceed(ctx);
}

void onLeaseLost(const Context& ctx) {
  Candidate& me = self(ctx);
  if (me.lease == 0) return;
  ctx.emit(LeaseLost{me.lease});
  concludeResignation(ctx, Outcome::ok);
  ctx.cancel(TimerKind::keepalive);
  ctx.cancel(TimerKind::deadline);
  me.renewing = false;
  if (trustsTheWait(ctx) && me.role == Role::FOLLOWING) return;
  if (me.role == Role::LEADING && ctx.rules.step_down == StepDown::at_deadline)
    stepDown(ctx, StepDownWhy::lease_ended);
  me.lease = 0;
  me.doubtful = false;
  me.had_lease = ctx.rules.new_session == NewSession::waits;
  if (me.role != Role::LEADING) me.token = 0;
  if (isQueue(ctx) && me.role == Role::FOLLOWING) {
    me.role = Role::LOOKING;
    me.watched.reset();
    me.holder.reset();
  }
  requestLease(ctx);
}

void onGranted(const Context& ctx, const LeaseGranted& granted) {
  const std::int64_t lease = granted.lease;
  Candidate& me = self(ctx);
  if (!me.renewing || me.lease != 0) return;
  me.renewing = false;
  me.lease = lease;
  me.ttl_ms = granted.ttl_ms;
  setKeepalive(ctx);
  if (me.had_lease && me.role != Role::FOLLOWING) {
    if (me.role == Role::LOOKING) me.role = Role::FOLLOWING;
    me.watched = ownKey(ctx);
    me.seen = 0;
    ctx.send(store_link, storeOf(ctx), Watch{*me.watched});
  }
  if (ctx.config.members) join(ctx);
  onAnswered(ctx);
}

// ---- the connection to the store

void onTxnReply(const Context& ctx, const TxnReply& reply) {
  Candidate& me = self(ctx);
  if (me.asking.empty()) return;
  const Asking what = me.asking.front();
  me.asking.erase(me.asking.begin());
  if (reply.lease_lost) return onLeaseLost(ctx);
  switch (what) {
    case Asking::key: return onKeyReply(ctx, reply);
    case Asking::look:
      if (me.role != Role::LOOKING) return;
      return reply.found.empty() ? askForKey(ctx, {}) : follow(ctx, reply.found.front(), reply.revision);
    case Asking::line: return onLine(ctx, reply);
    case Asking::members: return onMembers(ctx, reply);
    case Asking::release: return concludeResignation(ctx, Outcome::ok);
    case Asking::join: return;
  }
}

void onChanges(const Context& ctx, const Changes& changes) {
  Candidate& me = self(ctx);
  for (const Change& change : changes.changes) {
    const Key& key = change.what.key;
    if (key.prefix == Prefix::member) {
      if (change.revision <= me.members_seen) continue;
      me.members_seen = change.revision;
      noteMember(ctx, change.what.value, change.kind == ChangeKind::put);
    } else if (me.watched == key && change.revision > me.seen) {
      me.seen = change.revision;
      if (change.kind == ChangeKind::put) {
        me.holder = change.what.value;
      } else {
        onDeleted(ctx, change);
      }
    }
  }
}

void onStoreConnected(const Context& ctx) {
  Candidate& me = self(ctx);
  me.connected = true;
  requestLease(ctx);
  renew(ctx);
  releaseIfPossible(ctx);
  if (me.watched) watchKey(ctx);
  if (ctx.config.members) ask(ctx, Asking::members, {{}, {{Does::range, {Prefix::member}}}, {}});
}

void onStoreGone(const Context& ctx) {
  Candidate& me = self(ctx);
  me.connected = me.renewing = false;
  me.asking.clear();
  if (ctx.rules.resignation == Resignation::asked_once) concludeResignation(ctx, Outcome::unknown);
  me.turn = ctx.config.nextTurn(me.turn);
  ctx.set(TimerKind::store_dial, ctx.config.redial_ms);
}

/// The server of the store has not answered a renewal until the next was due: another one may.
void leaveStore(const Context& ctx) {
  ctx.disconnect(store_link, storeOf(ctx));
  onStoreGone(ctx);
}

// ---- a leader

void onAsked(const Context& ctx, ServerId client, const Ask& asked) {
  Candidate& me = self(ctx);
  const Work work{client, asked.number, me.token};
  if (me.role != Role::LEADING) return answer(ctx, work, Outcome::refused);
  if (asked.operation == Operation::resign) {
    resign(ctx, work);
    return releaseIfPossible(ctx);
  }
  me.works.push_back(work);
  ctx.set(TimerKind::work, ctx.config.work_ms);
}

void onWorkDone(const Context& ctx) {
  Candidate& me = self(ctx);
  for (Work& work : me.works) {
    if (work.sent) continue;
    if (!me.at_resource) {
      answer(ctx, work, Outcome::refused);
      continue;
    }
    work.sent = true;
    if (ctx.rules.write_answered == WriteAnswered::when_sent) answer(ctx, work, Outcome::ok);
    ctx.send(resource_link, ctx.config.resource, Store{work.token, work.client, work.number});
  }
  std::erase_if(me.works, [](const Work& work) { return !work.sent; });
}

void onStoreReply(const Context& ctx, const StoreReply& reply) {
  Candidate& me = self(ctx);
  const auto at = std::find_if(me.works.begin(), me.works.end(), [&](const Work& work) {
    return work.sent && work.client == reply.client && work.number == reply.number;
  });
  if (at == me.works.end()) return;
  if (ctx.rules.write_answered == WriteAnswered::by_the_resource)
    answer(ctx, *at, reply.accepted ? Outcome::ok : Outcome::refused);
  me.works.erase(at);
  if (reply.accepted || me.role != Role::LEADING) return;
  stepDown(ctx, StepDownWhy::newer_token);
  proceed(ctx);
}

void onResourceGone(const Context& ctx) {
  Candidate& me = self(ctx);
  me.at_resource = false;
  for (const Work& work : me.works) {
    if (work.sent) answer(ctx, work, Outcome::unknown);
  }
  std::erase_if(me.works, [](const Work& work) { return work.sent; });
  ctx.set(TimerKind::resource_dial, ctx.config.redial_ms);
}

/// Its own process is instructed, not by a client.
void onInstructed(const Context& ctx, Operation operation) {
  const Candidate& me = self(ctx);
  if (operation == Operation::end) {
    const bool revokes = ctx.rules.orderly_stop == OrderlyStop::revokes && me.connected && me.lease != 0;
    if (revokes) ctx.send(store_link, storeOf(ctx), LeaseRevoke{me.lease});
  } else if (operation == Operation::resign && me.role == Role::LEADING) {
    resign(ctx, {});
    releaseIfPossible(ctx);
  }
}

// ---- inputs

void onGone(const Context& ctx, Link link, ServerId peer) {
  if (link == store_link) return onStoreGone(ctx);
  if (link == resource_link) return onResourceGone(ctx);
  const auto is_its = [peer](const Work& work) { return work.client == peer; };
  std::erase_if(self(ctx).works, is_its);
  if (self(ctx).resigning) std::erase_if(self(ctx).resigning->clients, is_its);
}

void onFired(const Context& ctx, TimerKind kind) {
  Candidate& me = self(ctx);
  switch (kind) {
    case TimerKind::keepalive:
      setKeepalive(ctx);
      if (me.connected && me.renewing && ctx.config.isReplicated()) return leaveStore(ctx);
      return renew(ctx);
    case TimerKind::deadline: return onDeadline(ctx);
    case TimerKind::store_dial: return ctx.connect(store_link, storeOf(ctx));
    case TimerKind::resource_dial: return ctx.connect(resource_link, ctx.config.resource);
    case TimerKind::work: return onWorkDone(ctx);
    case TimerKind::again:
      if (me.role != Role::FOLLOWING || me.watched) return;
      if (me.resigning) return ctx.set(TimerKind::again, me.ttl_ms);
      me.role = Role::LOOKING;
      return proceed(ctx);
    default: return;
  }
}

/// It was put into its present role.
void takeUp(const Context& ctx) {
  Candidate& me = self(ctx);
  if (!me.connected) ctx.connect(store_link, storeOf(ctx));
  if (!me.at_resource) ctx.connect(resource_link, ctx.config.resource);
  if (me.role == Role::LEADING) ctx.emit(Elected{me.token, ElectedWhy::placed});
  if (me.lease == 0) return;
  me.ttl_ms = ctx.config.ttl_ms;
  ctx.out.push_back(V::Mark{me.answered});
  setKeepalive(ctx);
  if (ctx.rules.step_down == StepDown::at_deadline) ctx.set(TimerKind::deadline, limitMs(ctx));
}

}  // namespace

void stepCandidate(const Context& ctx, const Input& input) {
  visit(Overloaded{
            [&](const V::Start&) { takeUp(ctx); },
            [&](const V::TakeUp&) { takeUp(ctx); },
            [&](const V::Connected& connected) {
              if (connected.link == store_link) return onStoreConnected(ctx);
              if (connected.link == resource_link) self(ctx).at_resource = true;
            },
            [&](const V::Refused& refused) { onGone(ctx, refused.link, refused.peer); },
            [&](const V::Disconnected& closed) { onGone(ctx, closed.link, closed.peer); },
            [&](const V::Fired& fired) { onFired(ctx, fired.timer.kind); },
            [&](const V::Age& age) { onAge(ctx, age.millis); },
            [&](const V::Asked& asked) { onInstructed(ctx, asked.request.operation); },
            [&](const V::Received& received) {
              if (received.late) return;  // of a connection that has ended
              visit(Overloaded{
                        [&](const TxnReply& reply) { onTxnReply(ctx, reply); },
                        [&](const LeaseGranted& granted) { onGranted(ctx, granted); },
                        [&](const KeptAlive& kept) {
                          if (!self(ctx).renewing || kept.lease != self(ctx).lease) return;
                          self(ctx).renewing = false;
                          if (!kept.found) return onLeaseLost(ctx);
                          onAnswered(ctx);
                        },
                        [&](const Changes& changes) { onChanges(ctx, changes); },
                        [&](const StoreReply& reply) { onStoreReply(ctx, reply); },
                        [&](const Ask& asked) { onAsked(ctx, received.from, asked); },
                        [](const auto&) {},
                    },
                    received.message);
            },
            [](const auto&) {},
        },
        input);
}

}  // namespace zablab::external_store
