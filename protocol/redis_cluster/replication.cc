#include "protocol/redis_cluster/parts.h"

namespace zablab::redis_cluster {

void startReplication(const Context& ctx) {
  if (ctx.isMaster()) return ctx.set(TimerKind::repl_ping, ctx.config.repl_ping_ms);
  if (ctx.node.linked) ctx.node.synced = true;
  if (ctx.node.synced || ctx.rules.data_age == DataAge::from_start) ctx.mark();
  if (!ctx.node.linked) dialMaster(ctx);
}

void dialMaster(const Context& ctx) {
  if (!ctx.isMaster() && !ctx.node.linked) ctx.out.push_back(V::Connect{replication_link, ctx.master()});
}

void markLinkDown(const Context& ctx) {
  if (ctx.rules.data_age != DataAge::from_last_data) ctx.mark();
}

void onLinked(const Context& ctx, ServerId peer) {
  if (!ctx.isMaster() && peer == ctx.master()) ctx.send(peer, Psync{}, replication_link);
}

void onUnlinked(const Context& ctx, ServerId peer) {
  std::erase(ctx.node.fed, peer);
  if (ctx.isMaster() || peer != ctx.master()) return;
  if (ctx.node.linked) markLinkDown(ctx);
  ctx.node.linked = false;
  ctx.set(TimerKind::relink, ctx.config.repl_retry_ms);
}

void onPsync(const Context& ctx, ServerId from) {
  if (!ctx.isMaster()) {
    ctx.out.push_back(V::Disconnect{replication_link, from});
    // Its new master asked when it still was its replica.
    if (from == ctx.master()) onUnlinked(ctx, from);
    return;
  }
  if (!contains(ctx.node.fed, from)) insertInOrder(ctx.node.fed, from);
  ctx.send(from, FullResync{ctx.node.history}, replication_link);
}

void onFullResync(const Context& ctx, ServerId from, const FullResync& all) {
  Node& node = ctx.node;
  if (ctx.isMaster() || from != ctx.master()) return;
  const bool keeps = ctx.rules.resync == Resync::keeps_more && node.history.size() > all.history.size();
  Discarded discarded;
  for (const Entry& entry : node.history) {
    if (std::find(all.history.begin(), all.history.end(), entry) == all.history.end())
      discarded.values.push_back(entry.value);
  }
  if (!discarded.values.empty()) ctx.emit(std::move(discarded));
  if (node.history != all.history && !keeps) {
    ctx.out.push_back(V::Write{SaveHistory{all.history}, false});
    node.history = all.history;
  }
  node.linked = node.synced = true;
  ctx.mark();
  ctx.emit(Resynced{from, ctx.offset()});
}

void onReplicate(const Context& ctx, ServerId from, const Replicate& replicated) {
  if (ctx.isMaster() || from != ctx.master() || !ctx.node.linked) return;
  ctx.mark();
  execute(ctx, replicated.entry);
}

void onReplPing(const Context& ctx, ServerId from) {
  if (!ctx.isMaster() && from == ctx.master()) ctx.mark();
}

void onReplPingTimer(const Context& ctx) {
  if (!ctx.isMaster()) return;
  for (const ServerId replica : ctx.node.fed) ctx.send(replica, ReplPing{}, replication_link);
  ctx.set(TimerKind::repl_ping, ctx.config.repl_ping_ms);
}

void execute(const Context& ctx, const Entry& entry) {
  ctx.node.history.push_back(entry);
  ctx.out.push_back(V::Write{AppendEntry{entry}, false});
  for (const ServerId replica : ctx.node.fed) ctx.send(replica, Replicate{entry}, replication_link);
}

}  // namespace zablab::redis_cluster
