// A server of a replicated store. Its log and its elections are those of `leader_followers`, whose server is
// a part of its state. What changes the store goes through the log, and each server executes it once it is
// committed; who only reads is answered once the leader has confirmed that it leads, and all that was
// committed before is executed here, or at once if it does not ask for more. Leases are measured by the
// leader alone, and renewals do not go through the log: another server forwards them. A server that cannot
// answer closes the connection, and the candidate or client turns to the next one.
#include <algorithm>
#include <map>
#include <utility>

#include "protocol/converted.h"
#include "protocol/external_store/context.h"
#include "protocol/leader_followers/server_impl.h"
#include "protocol/overloaded.h"

namespace zablab::leader_followers {

template struct BasicFamily<external_store::StoreLog>;

}  // namespace zablab::leader_followers

namespace zablab::external_store {

leader_followers::Rules logRules(const Rules& rules) {
  using namespace leader_followers;
  // Those of etcd: a server that is led refuses votes, too, for the least election timeout.
  leader_followers::Rules log{.led_voter = LedVoter::refuses_votes, .led_until = LedUntil::least_timeout};
  if (rules.store_vote == StoreVote::forgotten) log.vote_saved = VoteSaved::nothing;
  if (rules.store_ack == StoreAck::at_once) log.ack_when = AckWhen::at_once;
  return log;
}

namespace {

using LogServer = leader_followers::BasicFamily<StoreLog>;
using LogV = LogServer::V;
using LogTimer = leader_followers::TimerKind;
using leader_followers::Index;

/// More than a server receives between two starts.
constexpr std::int64_t requests_per_start = 1'000'000;

Replica& replicaOf(const Context& ctx) { return *ctx.node.replica; }
bool leads(const Context& ctx) { return replicaOf(ctx).server.role == leader_followers::Role::LEADING; }

/// What has executed an entry, and the store's revision after it.
struct Executed {
  Result result;
  std::int64_t revision = 0;
  ServerId by = no_server;  ///< who has asked for it
};

bool onlyReads(const Txn& txn) {
  const auto reads = [](const Operate& one) { return one.does == Does::get || one.does == Does::range; };
  return std::all_of(txn.then.begin(), txn.then.end(), reads) &&
         std::all_of(txn.otherwise.begin(), txn.otherwise.end(), reads);
}

bool isRenewal(const Pending& pending) { return holds_alternative<KeepAlive>(pending.what); }

/// Whether it waits for the leader's confirmation, not for an entry of its own.
bool isRead(const Pending& pending) {
  const auto* transact = get_if<Transact>(&pending.what);
  return isRenewal(pending) || (transact != nullptr && onlyReads(transact->txn));
}

// ---- who is answered

/// Answers leave in the order of the requests of each candidate or client; renewals have an order of their
/// own.
void release(const Context& ctx) {
  auto& pending = replicaOf(ctx).pending;
  std::set<ServerId> waiting;
  std::erase_if(pending, [&](const Pending& one) {
    if (!one.answer) {
      if (!isRenewal(one)) waiting.insert(one.from);
      return false;
    }
    if (one.from == no_server) return true;
    if (waiting.contains(one.from) && !isRenewal(one)) return false;
    ctx.send(store_link, one.from, *one.answer);
    return true;
  });
}

void answer(const Context& ctx, Pending& pending, Message message) {
  ctx.cancel(TimerKind::request, pending.number);
  pending.answer = std::move(message);
}

/// It is not answered any more. What it has put into the log may still be executed.
void forgetClient(const Context& ctx, ServerId client) {
  Replica& me = replicaOf(ctx);
  ctx.node.store->watches.erase(client);
  for (Pending& one : me.pending) {
    if (one.from == client && !one.forwarded_as) one.from = no_server;
  }
  std::erase_if(me.pending, [&](const Pending& one) {
    const bool over = one.from == no_server && (isRead(one) || one.answer);
    if (over) ctx.cancel(TimerKind::request, one.number);
    return over;
  });
}

/// This request is not answered any more, and who has made it notices that.
void refuse(const Context& ctx, const Pending& request) {
  if (request.from == no_server) return;
  if (request.forwarded_as) {
    const std::int64_t lease = get<KeepAlive>(request.what).lease;
    return ctx.send(peer_link, request.from, Renewed{*request.forwarded_as, lease, false, false});
  }
  ctx.emit(GivenUp{request.from});
  ctx.disconnect(store_link, request.from);
  forgetClient(ctx, request.from);
}

void giveUp(const Context& ctx, std::int64_t number) {
  Replica& me = replicaOf(ctx);
  const auto at = std::find_if(me.pending.begin(), me.pending.end(),
                               [number](const Pending& one) { return one.number == number; });
  if (at == me.pending.end()) return;
  const Pending over = *at;
  me.pending.erase(at);
  ctx.cancel(TimerKind::request, number);
  if (const auto* end = get_if<EndLease>(&over.what)) me.ending.erase(end->lease);
  refuse(ctx, over);
}

// ---- leases, which the leader measures

const Lease* leaseOf(const Context& ctx, std::int64_t id) {
  const auto& leases = ctx.node.store->state.leases;
  const auto at = std::find_if(leases.begin(), leases.end(), [id](const Lease& one) { return one.id == id; });
  return at == leases.end() ? nullptr : &*at;
}

/// A renewal of a lease that is over waits for the end of the lease, which another leader may decide about.
void giveUpLateRenewals(const Context& ctx) {
  std::vector<std::int64_t> late;
  for (const Pending& one : replicaOf(ctx).pending) {
    if (isRenewal(one) && one.index && !one.answer) late.push_back(one.number);
  }
  for (const std::int64_t number : late) giveUp(ctx, number);
}

void onRole(const Context& ctx, bool now_leads) {
  if (!now_leads) {
    replicaOf(ctx).ending.clear();
    giveUpLateRenewals(ctx);
  }
  const bool measures = now_leads ? ctx.rules.new_leader != NewLeader::measures_nothing
                                  : ctx.rules.deposed_leader == DeposedLeader::measures_on;
  for (const Lease& lease : ctx.node.store->state.leases) {
    if (now_leads && measures) ctx.set(TimerKind::lease, firstTime(ctx, lease.ttl_ms), lease.id);
    if (!now_leads && !measures) ctx.cancel(TimerKind::lease, lease.id);
  }
  if (now_leads == measures) {
    ctx.node.store->over.clear();
    ctx.cancel(TimerKind::lease_check);
  }
}

/// A lease was granted, or has ended.
void onLeaseExecuted(const Context& ctx, const Command& command, const Result& result) {
  if (const auto* grant = get_if<Grant>(&command)) {
    if (leads(ctx)) ctx.set(TimerKind::lease, grant->ttl_ms, result.lease);
  } else if (const auto* end = get_if<EndLease>(&command)) {
    replicaOf(ctx).ending.erase(end->lease);
    ctx.node.store->over.erase(end->lease);
    ctx.cancel(TimerKind::lease, end->lease);
  }
}

/// The leader has confirmed that it leads. A lease that is over is not renewed any more.
void renewIfPossible(const Context& ctx, Pending& pending) {
  Replica& me = replicaOf(ctx);
  const std::int64_t id = get<KeepAlive>(pending.what).lease;
  if (me.ending.contains(id) || ctx.node.store->over.contains(id)) return;
  const Lease* lease = leaseOf(ctx, id);
  if (lease != nullptr) ctx.set(TimerKind::lease, lease->ttl_ms, id);
  if (!pending.forwarded_as) return answer(ctx, pending, KeptAlive{id, lease != nullptr});
  ctx.send(peer_link, pending.from, Renewed{*pending.forwarded_as, id, true, lease != nullptr});
  pending.from = no_server;
  answer(ctx, pending, KeptAlive{id, lease != nullptr});
}

// ---- what is executed

/// An entry that this server has put into the log is executed.
void finish(const Context& ctx, Pending& pending, const Executed& executed) {
  const Result& result = executed.result;
  report(ctx, result, executed.by);
  if (holds_alternative<EndLease>(pending.what)) pending.from = no_server;  // nobody waits for an answer
  if (holds_alternative<Grant>(pending.what)) {
    ctx.emit(LeaseBegun{result.lease, pending.from});
    return answer(ctx, pending, LeaseGranted{result.lease, get<Grant>(pending.what).ttl_ms});
  }
  const auto* transact = get_if<Transact>(&pending.what);
  if (transact != nullptr && !result.succeeded)
    ctx.emit(CompareFailed{pending.from, transact->txn.compares.front().key, executed.revision});
  answer(ctx, pending, replyTo(ctx, result, executed.revision));
}

void onApplied(const Context& ctx, const leader_followers::BasicApplied<StoreLog>& applied,
               std::map<Index, Executed>& executed) {
  if (applied.entry.payload.number == 0) return;  // a leader's first entry
  StoreState& state = ctx.node.store->state;
  const Command& command = applied.entry.payload.value.command;
  Executed& here = executed[applied.index];
  here.result = external_store::apply(state, command);
  here.revision = state.revision;
  here.by = applied.entry.payload.value.by;
  onLeaseExecuted(ctx, command, here.result);
  for (Pending& one : replicaOf(ctx).pending) {
    if (!isRead(one) && one.index == applied.index && !one.answer) finish(ctx, one, here);
  }
  notify(ctx, here.result.changes);
}

/// The log's answer to a request of this server.
void onLogReply(const Context& ctx, const leader_followers::BasicReply<StoreLog>& reply,
                const std::map<Index, Executed>& executed) {
  Replica& me = replicaOf(ctx);
  const auto at = std::find_if(me.pending.begin(), me.pending.end(),
                               [&](const Pending& one) { return one.number == reply.number; });
  if (at == me.pending.end()) return;
  if (reply.outcome != leader_followers::Outcome::ok) return giveUp(ctx, reply.number);
  at->index = reply.index;
  if (isRead(*at)) return;
  if (const auto here = executed.find(reply.index); here != executed.end()) {
    finish(ctx, *at, here->second);
  } else if (reply.index <= me.server.commit_index) {
    giveUp(ctx, reply.number);  // it was executed before the answer came, and its result is not kept
  }
}

/// Reads and renewals that are confirmed, once this server has executed what they have to see.
void answerReads(const Context& ctx) {
  Replica& me = replicaOf(ctx);
  for (Pending& one : me.pending) {
    if (!isRead(one) || one.answer || !one.index || *one.index > me.server.commit_index) continue;
    if (const auto* transact = get_if<Transact>(&one.what)) {
      StoreState& state = ctx.node.store->state;
      finish(ctx, one, {external_store::apply(state, *transact), state.revision});
    } else if (leads(ctx)) {
      renewIfPossible(ctx, one);
    }
  }
}

// ---- the log

std::optional<TimerKind> timerKind(LogTimer kind) {
  switch (kind) {
    case LogTimer::election: return TimerKind::election;
    case LogTimer::heartbeat: return TimerKind::heartbeat;
    case LogTimer::silent: return TimerKind::silent;
    case LogTimer::led_over: return TimerKind::led_over;
    case LogTimer::client_retry:
    case LogTimer::answer_limit: return std::nullopt;
  }
  return std::nullopt;
}

std::optional<LogTimer> logTimer(TimerKind kind) {
  switch (kind) {
    case TimerKind::election: return LogTimer::election;
    case TimerKind::heartbeat: return LogTimer::heartbeat;
    case TimerKind::silent: return LogTimer::silent;
    case TimerKind::led_over: return LogTimer::led_over;
    default: return std::nullopt;
  }
}

V::Timer timerOf(const LogV::Timer& timer) {
  return {*timerKind(timer.kind), {timer.key == no_server ? 0 : timer.key}};
}

void stepLog(const Context& ctx, const LogV::Input& input) {
  Replica& me = replicaOf(ctx);
  const bool led = leads(ctx);
  LogV::Effects effects;
  LogServer::stepServer(ctx.config.log(), logRules(ctx.rules), me.server, input, effects);
  if (leads(ctx) != led) onRole(ctx, !led);
  std::map<Index, Executed> executed;
  for (LogV::Effect& effect : effects) {
    visit(
        Overloaded{
            [&](LogV::Send& one) {
              if (one.link == leader_followers::client_link)
                return onLogReply(ctx, get<leader_followers::BasicReply<StoreLog>>(one.message), executed);
              ctx.out.push_back(
                  V::Send{peer_link, one.to, *converted<Message>(one.message), one.after_durable});
            },
            [&](const LogV::Connect& one) { ctx.connect(peer_link, one.to); },
            [&](const LogV::Disconnect& one) { ctx.disconnect(peer_link, one.to); },
            [&](const LogV::SetTimer& one) {
              ctx.out.push_back(V::SetTimer{timerOf(one.timer), one.lo, one.hi});
            },
            [&](const LogV::CancelTimer& one) { ctx.out.push_back(V::CancelTimer{timerOf(one.timer)}); },
            [&](const LogV::Write& one) {
              ctx.out.push_back(V::Write{*converted<Record>(one.record), one.blocking});
            },
            [&](LogV::Exit& one) { ctx.out.push_back(V::Exit{std::move(one.reason)}); },
            [&](const LogV::Emit& one) {
              if (const auto event = converted<Event>(one.event)) ctx.emit(*event);
              if (const auto* applied = get_if<leader_followers::BasicApplied<StoreLog>>(&one.event))
                onApplied(ctx, *applied, executed);
            },
            [](const auto&) {},  // nothing that a server of the log asks for
        },
        effect);
  }
  answerReads(ctx);
}

std::int64_t newRequest(const Context& ctx, Pending pending) {
  Replica& me = replicaOf(ctx);
  pending.number = me.starts * requests_per_start + ++me.requests;
  if (pending.from != no_server) ctx.set(TimerKind::request, ctx.config.request_limit_ms, pending.number);
  me.pending.push_back(std::move(pending));
  return me.pending.back().number;
}

/// This server asks the log, as its client.
void askLog(const Context& ctx, leader_followers::Operation operation, Proposed proposed,
            std::int64_t number) {
  using Asked = leader_followers::BasicClientRequest<StoreLog>;
  stepLog(ctx, LogV::Received{leader_followers::client_link, ctx.node.self,
                              Asked{operation, std::move(proposed), number}});
}

void propose(const Context& ctx, ServerId from, const Command& command) {
  using leader_followers::Operation;
  const auto what = visit([](const auto& one) -> decltype(Pending::what) { return one; }, command);
  const Pending request{.from = from, .what = what};
  if (!replicaOf(ctx).server.leader) return refuse(ctx, request);
  const std::int64_t number = newRequest(ctx, request);
  const auto* transact = get_if<Transact>(&command);
  if (transact != nullptr && onlyReads(transact->txn)) return askLog(ctx, Operation::read, {}, number);
  askLog(ctx, Operation::put, {from, command}, number);
  if (ctx.rules.proposals == Proposals::twice) askLog(ctx, Operation::put, {from, command}, number);
}

void onTxnRequest(const Context& ctx, ServerId from, const TxnRequest& request) {
  if (!request.local || !onlyReads(request.txn)) return propose(ctx, from, Transact{request.txn});
  newRequest(ctx, {.from = from, .what = Transact{request.txn}});
  StoreState& state = ctx.node.store->state;
  finish(ctx, replicaOf(ctx).pending.back(),
         {external_store::apply(state, Transact{request.txn}), state.revision});
}

// ---- renewals

void onKeepAlive(const Context& ctx, ServerId from, std::int64_t lease,
                 std::optional<std::int64_t> forwarded_as) {
  Replica& me = replicaOf(ctx);
  Pending renewal{.from = from, .what = KeepAlive{lease}, .forwarded_as = forwarded_as};
  if (!me.server.leader || (!leads(ctx) && forwarded_as)) return refuse(ctx, renewal);
  const bool forwards = !leads(ctx);
  if (forwards) renewal.forwarded_to = *me.server.leader;
  const std::int64_t number = newRequest(ctx, renewal);
  if (forwards) {
    ctx.connect(peer_link, *me.server.leader);
    return ctx.send(peer_link, *me.server.leader, Renew{number, lease});
  }
  if (ctx.rules.renewal == Renewal::confirmed)
    return askLog(ctx, leader_followers::Operation::read, {}, number);
  me.pending.back().index = me.server.commit_index;
  answerReads(ctx);
}

void onRenewed(const Context& ctx, ServerId from, const Renewed& renewed) {
  Replica& me = replicaOf(ctx);
  const auto at = std::find_if(me.pending.begin(), me.pending.end(), [&](const Pending& one) {
    return one.number == renewed.number && one.forwarded_to == from;
  });
  if (at == me.pending.end()) return;
  if (!renewed.leads) return giveUp(ctx, renewed.number);
  answer(ctx, *at, KeptAlive{renewed.lease, renewed.found});
}

/// The connection to another server is closed, or could not be made.
void onPeerGone(const Context& ctx, ServerId peer) {
  std::vector<std::int64_t> lost;
  for (Pending& one : replicaOf(ctx).pending) {
    if (one.forwarded_to == peer && !one.answer) lost.push_back(one.number);
    if (one.from == peer && one.forwarded_as) lost.push_back(one.number);
  }
  for (const std::int64_t number : lost) giveUp(ctx, number);
}

// ---- inputs

void onRequest(const Context& ctx, ServerId from, const Message& message) {
  visit(Overloaded{
            [&](const TxnRequest& request) { onTxnRequest(ctx, from, request); },
            [&](const LeaseGrant& grant) { propose(ctx, from, Grant{grantedTtl(ctx, grant.ttl_ms)}); },
            [&](const LeaseRevoke& revoke) {
              propose(ctx, from, EndLease{revoke.lease, false});
            },
            [&](const KeepAlive& keep) { onKeepAlive(ctx, from, keep.lease, std::nullopt); },
            [&](const Watch& watch) { onWatch(ctx, from, watch); },
            [](const auto&) {},
        },
        message);
}

void onPeerMessage(const Context& ctx, const V::Received& received) {
  if (const auto* renew = get_if<Renew>(&received.message)) {
    if (!received.late) onKeepAlive(ctx, received.from, renew->lease, renew->number);
  } else if (const auto* renewed = get_if<Renewed>(&received.message)) {
    onRenewed(ctx, received.from, *renewed);
  } else if (auto message = converted<LogV::Message>(received.message)) {
    stepLog(ctx,
            LogV::Received{leader_followers::server_link, received.from, std::move(*message), received.late});
  }
}

/// The leader has those leases ended that are over.
void endLeases(const Context& ctx) {
  const std::set<std::int64_t> over = std::exchange(ctx.node.store->over, {});
  if (leads(ctx)) replicaOf(ctx).ending.insert(over.begin(), over.end());  // none is renewed meanwhile
  for (const std::int64_t lease : over) propose(ctx, no_server, EndLease{lease, true});
}

void onTimer(const Context& ctx, const Timer& timer) {
  if (const auto kind = logTimer(timer.kind)) {
    const ServerId peer = timer.kind == TimerKind::silent ? timer.key.id : no_server;
    return stepLog(ctx, LogV::Fired{{*kind, peer}, false});
  }
  if (timer.kind == TimerKind::request) return giveUp(ctx, timer.key.id);
  if (timer.kind == TimerKind::lease && leaseOf(ctx, timer.key.id) != nullptr) onLeaseOver(ctx, timer.key.id);
  if (timer.kind == TimerKind::lease_check) endLeases(ctx);
}

/// It was put into its present role. What it has applied of its log has led to its state.
void takeUpReplica(const Context& ctx) {
  const auto& server = replicaOf(ctx).server;
  std::map<Index, Executed> executed;
  for (Index index = 1; index <= server.commit_index; ++index) {
    const leader_followers::BasicApplied<StoreLog> applied{index,
                                                           leader_followers::entryAt(server.log, index)};
    ctx.emit(applied);
    onApplied(ctx, applied, executed);
  }
  stepLog(ctx, LogV::TakeUp{});
}

}  // namespace

void stepReplica(const Context& ctx, const Input& input) {
  Replica& me = replicaOf(ctx);
  visit(Overloaded{
            [&](const V::Start& started) {
              ctx.out.push_back(V::Mark{MarkKey::started});
              ctx.write(CountStart{++me.starts});
              stepLog(ctx, LogV::Start{started.disk.log});
            },
            [&](const V::TakeUp&) {
              ctx.out.push_back(V::Mark{MarkKey::started});
              takeUpReplica(ctx);
            },
            [&](const V::Age& age) { awaitCheck(ctx, age.millis); },
            [&](const V::Received& received) {
              if (received.link == peer_link) return onPeerMessage(ctx, received);
              if (!received.late) onRequest(ctx, received.from, received.message);
            },
            [&](const V::Connected& connected) {
              if (connected.link == peer_link)
                stepLog(ctx, LogV::Connected{leader_followers::server_link, connected.peer});
            },
            [&](const V::Refused& refused) {
              if (refused.link != peer_link) return;
              onPeerGone(ctx, refused.peer);
              stepLog(ctx, LogV::Refused{leader_followers::server_link, refused.peer});
            },
            [&](const V::Disconnected& closed) {
              if (closed.link != peer_link) return forgetClient(ctx, closed.peer);
              onPeerGone(ctx, closed.peer);
              stepLog(ctx, LogV::Disconnected{leader_followers::server_link, closed.peer});
            },
            [&](const V::Fired& fired) { onTimer(ctx, fired.timer); },
            [&](const V::WriteFailed&) { ctx.out.push_back(V::Exit{"a write to the disk failed"}); },
            [&](const V::Prompt&) { stepLog(ctx, LogV::Prompt{}); },
            [](const auto&) {},
        },
        input);
  release(ctx);
}

}  // namespace zablab::external_store
