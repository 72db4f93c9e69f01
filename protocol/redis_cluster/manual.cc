#include "protocol/redis_cluster/parts.h"

namespace zablab::redis_cluster {
namespace {

constexpr Millis manual_ms = 5000;  // CLUSTER_MF_TIMEOUT
/// Connections between nodes have Nagle's algorithm, and Linux delays acknowledgements.
constexpr Millis acknowledgement_ms = 40;
constexpr Millis acknowledgement_most_ms = 44;

}  // namespace

void beginManual(const Context& ctx) {
  if (ctx.isFailed(ctx.master()))
    return ctx.emit(ManualFailover{ManualStage::refused, ctx.master(), ctx.offset()});
  endAttempt(ctx);
  ctx.node.manual = Manual{};
  ctx.set(TimerKind::manual_end, manual_ms);
  ctx.emit(ManualFailover{ManualStage::requested, ctx.master(), ctx.offset()});
  ctx.send(ctx.master(), MfStart{ctx.header()});
}

void takeUpManual(const Context& ctx) {
  if (ctx.node.delayed != no_server) ctx.set(TimerKind::acknowledged, acknowledgement_most_ms);
  const ServerId replica = ctx.node.manual_replica;
  if (ctx.node.manual || replica != no_server) ctx.set(TimerKind::manual_end, manual_ms);
  if (replica != no_server) ctx.emit(ManualFailover{ManualStage::paused, replica, ctx.offset()});
}

void onMfStart(const Context& ctx, ServerId from) {
  if (!ctx.isMaster() || ctx.known(from).master != ctx.node.self) return;
  ctx.node.manual_replica = from;
  ctx.set(TimerKind::manual_end, manual_ms);
  ctx.emit(ManualFailover{ManualStage::paused, from, ctx.offset()});
  ctx.send(from, pingOf(ctx));
}

void notePaused(const Context& ctx, ServerId from, const Header& header) {
  auto& manual = ctx.node.manual;
  if (manual && !manual->offset && header.paused && from == ctx.master()) manual->offset = header.offset;
}

void considerManual(const Context& ctx) {
  auto& manual = ctx.node.manual;
  if (!manual || !manual->offset) return;
  if (!manual->started) {
    if (ctx.rules.manual_offset == ManualOffset::awaited && ctx.offset() != *manual->offset) return;
    manual->started = true;
    ctx.emit(ManualFailover{ManualStage::started, ctx.master(), ctx.offset()});
  }
  ctx.node.attempt.force = true;
}

void onManualEnd(const Context& ctx) {
  const ServerId with = ctx.isMaster() ? ctx.node.manual_replica : ctx.master();
  ctx.emit(ManualFailover{ManualStage::timed_out, with, ctx.offset()});
  ctx.node.attempt.force = false;
  endManual(ctx);
}

void awaitAcknowledgement(const Context& ctx) {
  if (ctx.node.delayed != no_server) return;
  ctx.node.delayed = ctx.master();
  ctx.setWithin(TimerKind::acknowledged, acknowledgement_ms, acknowledgement_most_ms);
}

void onAcknowledged(const Context& ctx) {
  const ServerId to = std::exchange(ctx.node.delayed, no_server);
  for (Message& message : std::exchange(ctx.node.withheld, {})) ctx.send(to, std::move(message));
}

void endManual(const Context& ctx) {
  Node& node = ctx.node;
  if (!node.manual && node.manual_replica == no_server) return;
  ctx.cancel(TimerKind::manual_end);
  node.manual.reset();
  node.manual_replica = no_server;
  for (const Postponed& write : std::exchange(node.postponed, {}))
    onSet(ctx, write.client, {write.entry.slot, write.entry.value, write.number});
}

}  // namespace zablab::redis_cluster
