// The store as one process: one request after the other, each durable before it is answered. Leases end by
// its own clock alone: it looks from time to time which are over. When it starts, each lease is given its
// whole time again, as by a new leader of a replicated store.
#include <algorithm>

#include "protocol/external_store/context.h"
#include "protocol/overloaded.h"

namespace zablab::external_store {
namespace {

bool isFor(const Watch& watch, const Change& change) {
  const Key& key = change.what.key;
  return watch.prefix ? key.prefix == watch.key.prefix : key == watch.key;
}

/// Tells a watcher what it has not been told of these; returns whether its watch goes on.
bool tell(const Context& ctx, ServerId who, Watch& watch, const std::vector<Change>& changes) {
  Changes told;
  bool ends = false;
  for (const Change& change : changes) {
    if (change.revision < watch.from || !isFor(watch, change) || ends) continue;
    told.changes.push_back(change);
    ends = !watch.prefix && change.kind != ChangeKind::put;
  }
  if (!told.changes.empty()) {
    watch.from = told.changes.back().revision + 1;
    ctx.send(store_link, who, std::move(told));
  }
  return !ends;
}

Result perform(const Context& ctx, Command command, ServerId by) {
  StoreNode& store = *ctx.node.store;
  Result result = external_store::apply(store.state, command);
  const bool changes = !result.changes.empty() || !holds_alternative<Transact>(command);
  if (changes) ctx.write(Apply{std::move(command)});
  report(ctx, result, by);
  return result;
}

void onTxn(const Context& ctx, ServerId from, const TxnRequest& request) {
  const Result result = perform(ctx, Transact{request.txn}, from);
  if (!result.succeeded)
    ctx.emit(CompareFailed{from, request.txn.compares.front().key, ctx.node.store->state.revision});
  ctx.send(store_link, from, replyTo(ctx, result, ctx.node.store->state.revision));
  notify(ctx, result.changes);
}

void onKeepAlive(const Context& ctx, ServerId from, std::int64_t id) {
  StoreNode& store = *ctx.node.store;
  if (store.over.contains(id)) return store.late.push_back({from, id});
  const auto& leases = store.state.leases;
  const auto at = std::find_if(leases.begin(), leases.end(), [id](const Lease& one) { return one.id == id; });
  if (at != leases.end()) ctx.set(TimerKind::lease, at->ttl_ms, id);
  ctx.send(store_link, from, KeptAlive{id, at != leases.end()});
}

void endLease(const Context& ctx, const EndLease& end, ServerId by) {
  StoreNode& store = *ctx.node.store;
  store.over.erase(end.lease);
  ctx.cancel(TimerKind::lease, end.lease);
  notify(ctx, perform(ctx, end, by).changes);
  std::erase_if(store.late, [&](const LateRenewal& one) {
    if (one.lease != end.lease) return false;
    ctx.send(store_link, one.from, KeptAlive{one.lease, false});
    return true;
  });
}

void onFired(const Context& ctx, const Timer& timer) {
  if (timer.kind == TimerKind::lease) return onLeaseOver(ctx, timer.key.id);
  const std::set<std::int64_t> over = ctx.node.store->over;
  for (const std::int64_t lease : over) endLease(ctx, {lease, true}, no_server);
}

}  // namespace

void onLeaseOver(const Context& ctx, std::int64_t lease) {
  ctx.node.store->over.insert(lease);
  ctx.out.push_back(V::AskAge{MarkKey::started});
}

void awaitCheck(const Context& ctx, std::optional<Millis> age) {
  const Millis every = ctx.config.lease_check_ms;
  if (!ctx.node.store->over.empty()) ctx.set(TimerKind::lease_check, every - age.value_or(0) % every);
}

TxnReply replyTo(const Context& ctx, const Result& result, std::int64_t revision) {
  const bool changed = !result.changes.empty();
  const bool before = ctx.rules.told_revision == ToldRevision::before;
  return {result.succeeded, result.lease_lost, before && changed ? revision - 1 : revision, result.found};
}

void report(const Context& ctx, const Result& result, ServerId by) {
  for (const Change& change : result.changes) ctx.emit(KeyChanged{change, by});
}

void notify(const Context& ctx, const std::vector<Change>& changes) {
  if (changes.empty()) return;
  for (auto& [who, list] : ctx.node.store->watches) {
    const ServerId to = who;
    std::erase_if(list, [&](Watch& watch) { return !tell(ctx, to, watch, changes); });
  }
}

void onWatch(const Context& ctx, ServerId from, Watch watch) {
  StoreNode& store = *ctx.node.store;
  if (watch.from == 0 || ctx.rules.watch_begins == WatchBegins::with_the_next)
    watch.from = store.state.revision + 1;
  auto& list = store.watches[from];
  std::erase_if(list, [&](const Watch& other) { return other.key.prefix == watch.key.prefix; });
  if (tell(ctx, from, watch, store.state.history)) list.push_back(watch);
}

void stepStore(const Context& ctx, const Input& input) {
  StoreNode& store = *ctx.node.store;
  const bool starts = holds_alternative<V::Start>(input);
  if (starts || holds_alternative<V::TakeUp>(input)) {
    ctx.out.push_back(V::Mark{MarkKey::started});
    for (const Lease& lease : store.state.leases)
      ctx.set(TimerKind::lease, starts ? firstTime(ctx, lease.ttl_ms) : lease.ttl_ms, lease.id);
  } else if (const auto* received = get_if<V::Received>(&input)) {
    const ServerId from = received->from;
    visit(Overloaded{
              [&](const TxnRequest& request) { onTxn(ctx, from, request); },
              [&](const Watch& watch) { onWatch(ctx, from, watch); },
              [&](const LeaseGrant& grant) {
                const Millis ttl = grantedTtl(ctx, grant.ttl_ms);
                const Result result = perform(ctx, Grant{ttl}, from);
                ctx.set(TimerKind::lease, ttl, result.lease);
                ctx.emit(LeaseBegun{result.lease, from});
                ctx.send(store_link, from, LeaseGranted{result.lease, ttl});
              },
              [&](const LeaseRevoke& revoke) {
                endLease(ctx, {revoke.lease, false}, from);
              },
              [&](const KeepAlive& keep) { onKeepAlive(ctx, from, keep.lease); },
              [](const auto&) {},
          },
          received->message);
  } else if (const auto* closed = get_if<V::Disconnected>(&input)) {
    store.watches.erase(closed->peer);
    std::erase_if(store.late, [&](const LateRenewal& one) { return one.from == closed->peer; });
  } else if (const auto* fired = get_if<V::Fired>(&input)) {
    onFired(ctx, fired->timer);
  } else if (const auto* age = get_if<V::Age>(&input)) {
    awaitCheck(ctx, age->millis);
  }
}

}  // namespace zablab::external_store
