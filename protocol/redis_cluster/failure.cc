#include "protocol/redis_cluster/parts.h"

namespace zablab::redis_cluster {
namespace {

Millis suspectsAfter(const Context& ctx) {
  const Millis timeout = ctx.config.node_timeout_ms;
  return ctx.rules.suspects_after == SuspectsAfter::half ? timeout / 2 : timeout;
}

void flagFail(const Context& ctx, ServerId id, FlagReason reason, std::vector<ServerId> reporters) {
  Seen& seen = ctx.node.seen[id];
  seen.fail = true;
  seen.pfail = false;
  seen.fail_fresh = true;
  ctx.cancel(TimerKind::silent, id);
  ctx.set(TimerKind::fail_undo, 2 * ctx.config.node_timeout_ms, id);
  if (seen.awaited) pingAgain(ctx, id);
  ctx.emit(Flagged{id, Flag::FAIL, reason, std::move(reporters)});
}

/// PFAIL becomes FAIL when a majority of the masters reports it.
void promoteToFail(const Context& ctx, ServerId id) {
  std::vector<ServerId> reporters;
  for (const auto& [reporter, failing] : ctx.node.reports) {
    if (ctx.isMaster(reporter) && contains(failing, id)) insertInOrder(reporters, reporter);
  }
  if (ctx.isMaster()) insertInOrder(reporters, ctx.node.self);
  if (ctx.rules.fail_needs == FailNeeds::majority && reporters.size() < ctx.quorum()) return;
  flagFail(ctx, id, FlagReason::majority, std::move(reporters));
  ctx.broadcast(Fail{ctx.header(), id});
}

bool coversAll(const Context& ctx) {
  const auto& owners = ctx.node.conf.slots;
  return std::all_of(ctx.config.members.begin(), ctx.config.members.end(), [&](const Member& member) {
    return std::all_of(member.slots.begin(), member.slots.end(), [&](Slot slot) {
      const auto owner = owners.find(slot);
      return owner != owners.end() && !ctx.isFailed(owner->second);
    });
  });
}

bool reachesMajority(const Context& ctx) {
  std::size_t reached = 0;
  for (const ServerId master : ctx.electorate()) reached += ctx.isSuspect(master) ? 0 : 1;
  return reached >= ctx.quorum();
}

}  // namespace

void onAnyPacket(const Context& ctx, ServerId from) {
  const Seen& seen = ctx.node.seen[from];
  if (seen.awaited && !seen.pfail && !seen.fail) awaitAnswer(ctx, from);
}

void awaitAnswer(const Context& ctx, ServerId peer) { ctx.set(TimerKind::silent, suspectsAfter(ctx), peer); }

void onAlive(const Context& ctx, ServerId from) {
  Seen& seen = ctx.node.seen[from];
  seen.awaited = false;
  ctx.cancel(TimerKind::silent, from);
  const bool undone = seen.fail && (!ctx.isMaster(from) || !ctx.hasSlots(from) || !seen.fail_fresh);
  if (!seen.pfail && !undone) return;
  seen.pfail = false;
  if (undone) {
    seen.fail = false;
    seen.fail_fresh = false;
    ctx.cancel(TimerKind::fail_undo, from);
  }
  ctx.emit(Flagged{from, Flag::none, FlagReason::answers, {}});
}

void onSilent(const Context& ctx, ServerId peer) {
  Seen& seen = ctx.node.seen[peer];
  if (seen.pfail || seen.fail) return;
  seen.pfail = true;
  pingAgain(ctx, peer);
  ctx.emit(Flagged{peer, Flag::PFAIL, FlagReason::silent, {}});
}

void onGossip(const Context& ctx, ServerId from, const std::vector<ServerId>& failing) {
  if (!ctx.isMaster(from)) return;
  if (failing.empty()) {
    if (ctx.node.reports.erase(from) > 0) ctx.cancel(TimerKind::report_expires, from);
    return;
  }
  ctx.node.reports[from] = failing;
  ctx.set(TimerKind::report_expires, 2 * ctx.config.node_timeout_ms, from);
  for (const ServerId id : failing) {
    const auto seen = ctx.node.seen.find(id);
    if (seen != ctx.node.seen.end() && seen->second.pfail) promoteToFail(ctx, id);
  }
}

void onFail(const Context& ctx, const Fail& fail) {
  const auto seen = ctx.node.seen.find(fail.failed);
  if (seen == ctx.node.seen.end() || seen->second.fail) return;
  flagFail(ctx, fail.failed, FlagReason::told, {});
}

void updateState(const Context& ctx) {
  Node& node = ctx.node;
  const bool majority = ctx.rules.minority == Minority::serves || reachesMajority(ctx);
  const bool ok = majority && (!ctx.config.full_coverage || coversAll(ctx));
  if (!majority) {
    node.minority = true;
    if (node.starting) ctx.cancel(TimerKind::rejoin);
    node.starting = false;
  }
  if (!ok && node.serves) {
    node.serves = false;
    ctx.emit(StateChanged{false, !majority});
  }
  if (!ok || node.serves || node.starting) return;
  if (node.minority && ctx.isMaster()) {
    // Others may have replaced it: it leaves them the time to say so.
    node.starting = true;
    return ctx.set(TimerKind::rejoin, std::clamp<Millis>(ctx.config.node_timeout_ms, 500, 5000));
  }
  node.minority = false;
  node.serves = true;
  ctx.emit(StateChanged{true, false});
}

}  // namespace zablab::redis_cluster
