#include "protocol/redis_cluster/parts.h"

namespace zablab::redis_cluster {

void onClaim(const Context& ctx, ServerId owner, std::int64_t config_epoch, const std::vector<Slot>& slots) {
  NodesConf& conf = ctx.node.conf;
  const ServerId master = ctx.isMaster() ? ctx.node.self : ctx.master();
  const bool others = ctx.slotsOf(owner) != slots;
  bool lost = false;
  std::vector<Slot> moved;
  for (const Slot slot : slots) {
    const auto at = conf.slots.find(slot);
    const ServerId before = at == conf.slots.end() ? no_server : at->second;
    if (before == owner) continue;
    if (before != no_server && ctx.rules.claim == Claim::higher_epoch &&
        ctx.known(before).config_epoch >= config_epoch)
      continue;
    if (before == master) lost = true;
    conf.slots[slot] = owner;
    moved.push_back(slot);
  }
  if (!moved.empty()) {
    ctx.emit(SlotsMoved{owner, config_epoch, std::move(moved)});
    if (lost && !ctx.hasSlots(master)) return follow(ctx, owner);
    ctx.save();
  }
  if (others && ctx.rules.sub_replica == SubReplica::at_claims) leaveSubReplica(ctx);
}

void correctStaleClaim(const Context& ctx, ServerId from, const Header& header) {
  for (const Slot slot : header.slots) {
    const auto at = ctx.node.conf.slots.find(slot);
    if (at == ctx.node.conf.slots.end()) continue;
    const ServerId owner = at->second;
    const bool is_own =
        owner == from || (owner == header.master && ctx.rules.stale_replica == StaleReplica::not_told);
    if (is_own || ctx.known(owner).config_epoch <= header.config_epoch) continue;
    return ctx.send(from, Update{ctx.header(), owner, ctx.known(owner).config_epoch, ctx.slotsOf(owner)});
  }
}

void onUpdate(const Context& ctx, const Update& update) {
  NodesConf& conf = ctx.node.conf;
  if (update.owner == ctx.node.self || !conf.nodes.contains(update.owner)) return;
  Known& owner = ctx.known(update.owner);
  if (owner.config_epoch > update.config_epoch) return;
  owner = {no_server, update.config_epoch};
  onClaim(ctx, update.owner, update.config_epoch, update.slots);
}

void resolveCollision(const Context& ctx, ServerId with) {
  if (ctx.rules.collision == Collision::stays || !ctx.isMaster()) return;
  Known& own = ctx.own();
  if (ctx.known(with).config_epoch != own.config_epoch || with < ctx.node.self) return;
  const std::int64_t before = own.config_epoch;
  own.config_epoch = ++ctx.node.conf.current_epoch;
  ctx.emit(Collided{with, before, own.config_epoch});
  ctx.save();
  announce(ctx);
}

void follow(const Context& ctx, ServerId master) {
  Node& node = ctx.node;
  const bool was_master = ctx.isMaster();
  if (!was_master) {
    ctx.out.push_back(V::Disconnect{replication_link, ctx.master()});
    if (node.linked) markLinkDown(ctx);
  } else {
    for (const ServerId replica : node.fed) ctx.out.push_back(V::Disconnect{replication_link, replica});
    ctx.cancel(TimerKind::repl_ping);
    if (node.starting) ctx.cancel(TimerKind::rejoin);
    node.starting = false;
  }
  node.fed.clear();
  node.linked = false;
  endAttempt(ctx);
  ctx.own().master = master;
  ctx.known(master).master = no_server;
  ctx.own().config_epoch = ctx.known(master).config_epoch;
  ctx.save();
  ctx.emit(Follows{master});
  if (was_master) ctx.tellRole();
  if (ctx.rules.data_age == DataAge::from_start) ctx.mark();
  dialMaster(ctx);
  if (ctx.rules.role_change == RoleChange::announced) announce(ctx);
  endManual(ctx);
}

void leaveSubReplica(const Context& ctx) {
  if (ctx.isMaster()) return;
  const ServerId next = ctx.known(ctx.master()).master;
  if (next != no_server && next != ctx.node.self) follow(ctx, next);
}

}  // namespace zablab::redis_cluster
