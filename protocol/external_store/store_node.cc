// The store as one process: one request after the other, each durable before it is answered. Leases end by
// its own timers alone; when it starts, each lease is given its whole time again.
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
  const bool changes = !result.changes.empty() || !std::holds_alternative<Transact>(command);
  if (changes) ctx.write(Apply{std::move(command)});
  report(ctx, result, by);
  return result;
}

void onTxn(const Context& ctx, ServerId from, const TxnRequest& request) {
  const Result result = perform(ctx, Transact{request.txn}, from);
  if (!result.succeeded)
    ctx.emit(CompareFailed{from, request.txn.compares.front().key, ctx.node.store->state.revision});
  ctx.send(store_link, from,
           TxnReply{result.succeeded, result.lease_lost, ctx.node.store->state.revision, result.found});
  notify(ctx, result.changes);
}

}  // namespace

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
  if (watch.from == 0) watch.from = store.state.revision + 1;
  auto& list = store.watches[from];
  std::erase_if(list, [&](const Watch& other) { return other.key.prefix == watch.key.prefix; });
  if (tell(ctx, from, watch, store.state.history)) list.push_back(watch);
}

void stepStore(const Context& ctx, const Input& input) {
  StoreNode& store = *ctx.node.store;
  if (std::holds_alternative<V::Start>(input) || std::holds_alternative<V::TakeUp>(input)) {
    for (const Lease& lease : store.state.leases) ctx.set(TimerKind::lease, lease.ttl_ms, lease.id);
  } else if (const auto* received = std::get_if<V::Received>(&input)) {
    const ServerId from = received->from;
    std::visit(Overloaded{
                   [&](const TxnRequest& request) { onTxn(ctx, from, request); },
                   [&](const Watch& watch) { onWatch(ctx, from, watch); },
                   [&](const LeaseGrant& grant) {
                     const Result result = perform(ctx, Grant{grant.ttl_ms}, from);
                     ctx.set(TimerKind::lease, grant.ttl_ms, result.lease);
                     ctx.emit(LeaseBegun{result.lease, from});
                     ctx.send(store_link, from, LeaseGranted{result.lease});
                   },
                   [&](const KeepAlive& keep) {
                     const auto& leases = store.state.leases;
                     const auto at = std::find_if(leases.begin(), leases.end(),
                                                  [&](const Lease& one) { return one.id == keep.lease; });
                     const bool found = at != leases.end();
                     if (found) ctx.set(TimerKind::lease, at->ttl_ms, keep.lease);
                     ctx.send(store_link, from, KeptAlive{keep.lease, found});
                   },
                   [](const auto&) {},
               },
               received->message);
  } else if (const auto* closed = std::get_if<V::Disconnected>(&input)) {
    store.watches.erase(closed->peer);
  } else if (const auto* fired = std::get_if<V::Fired>(&input)) {
    notify(ctx, perform(ctx, EndLease{fired->timer.key.id, true}, no_server).changes);
  }
}

}  // namespace zablab::external_store
