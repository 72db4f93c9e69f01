#include "protocol/redis_cluster/parts.h"

namespace zablab::redis_cluster {
namespace {

constexpr Millis cron_ms = 100;

std::vector<ServerId> failing(const Context& ctx) {
  std::vector<ServerId> list;
  for (const auto& [id, seen] : ctx.node.seen) {
    if (seen.fail || seen.pfail) list.push_back(id);
  }
  return list;
}

/// A master says that it is a replica now.
void onDemoted(const Context& ctx, ServerId from, const Header& header) {
  const std::vector<Slot> slots = ctx.slotsOf(from);
  if (ctx.rules.demoted_slots == DemotedSlots::deleted) {
    if (slots.empty()) return;
    for (const Slot slot : slots) ctx.node.conf.slots.erase(slot);
    ctx.emit(SlotsMoved{no_server, header.config_epoch, slots});
    return ctx.save();
  }
  Known& master = ctx.known(header.master);
  // Of a replica this node knows the epoch that its master had.
  master.config_epoch = header.config_epoch;
  if (slots.empty()) return;
  for (const Slot slot : slots) ctx.node.conf.slots[slot] = header.master;
  master.master = no_server;
  ctx.emit(SlotsMoved{header.master, header.config_epoch, slots});
  ctx.save();
}

}  // namespace

void startBus(const Context& ctx) {
  for (const auto& [id, known] : ctx.node.conf.nodes) {
    if (id == ctx.node.self) continue;
    ctx.node.seen[id];
    ctx.setWithin(TimerKind::ping, 0, cron_ms, id);
  }
}

void onPingTimer(const Context& ctx, ServerId peer) {
  Seen& seen = ctx.node.seen[peer];
  const bool redials = seen.awaited && (seen.pfail || seen.fail);
  ctx.send(peer, pingOf(ctx));
  if (!seen.awaited && !seen.pfail && !seen.fail) awaitAnswer(ctx, peer);
  seen.awaited = true;
  if (redials) return pingAgain(ctx, peer);
  const Millis interval = ctx.config.node_timeout_ms / 2;
  ctx.setWithin(TimerKind::ping, interval, interval + cron_ms, peer);
}

void pingAgain(const Context& ctx, ServerId peer) { ctx.set(TimerKind::ping, cron_ms, peer); }

Ping pingOf(const Context& ctx) { return {ctx.header(), failing(ctx)}; }

void onHeader(const Context& ctx, ServerId from, const Header& header) {
  NodesConf& conf = ctx.node.conf;
  conf.current_epoch = std::max(conf.current_epoch, header.current_epoch);
  onAnyPacket(ctx, from);
  ctx.node.seen[from].offset = header.offset;
  notePaused(ctx, from, header);
}

void onConfiguration(const Context& ctx, ServerId from, const Header& header) {
  NodesConf& conf = ctx.node.conf;
  Known& sender = ctx.known(from);
  // A datagram from before the sender's last change, or of a node that has missed one.
  const bool outdated = header.config_epoch < sender.config_epoch;
  if (!outdated) {
    sender.config_epoch = header.config_epoch;
    const bool was_master = sender.master == no_server;
    if (header.master != no_server && was_master && conf.nodes.contains(header.master))
      onDemoted(ctx, from, header);
    sender.master = header.master;
    if (header.master == no_server) {
      onClaim(ctx, from, header.config_epoch, header.slots);
      resolveCollision(ctx, from);
    }
  }
  correctStaleClaim(ctx, from, header);
  if (ctx.rules.sub_replica == SubReplica::always) leaveSubReplica(ctx);
}

void onPing(const Context& ctx, ServerId from, const Ping& ping) {
  onConfiguration(ctx, from, ping.header);
  onGossip(ctx, from, ping.failing);
  ctx.send(from, Pong{ctx.header(), failing(ctx)});
  if (ctx.node.manual && from == ctx.master()) awaitAcknowledgement(ctx);
}

void onPong(const Context& ctx, ServerId from, const Pong& pong) {
  onAlive(ctx, from);
  onConfiguration(ctx, from, pong.header);
  onGossip(ctx, from, pong.failing);
}

void announce(const Context& ctx) { ctx.broadcast(Pong{ctx.header(), failing(ctx)}); }

}  // namespace zablab::redis_cluster
