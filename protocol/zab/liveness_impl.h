#pragma once

#include "protocol/zab/liveness.h"

#include "protocol/zab/discovery.h"
#include "protocol/zab/quorum.h"
#include "protocol/zab/roles.h"

namespace zablab::zab {

bool hearsQuorum(const IsContext auto& ctx) {
  std::vector<ServerId> alive{ctx.node.self};
  for (const auto& [id, learner] : ctx.node.learners) alive.push_back(id);
  return isQuorum(ctx.config, ctx.rules, alive);
}

void forget(const IsContext auto& ctx, ServerId learner) {
  if (ctx.node.learners.erase(learner) == 0) return;
  ctx.cancelTimer(TimerKind::learner_limit, learner);
  ctx.cancelTimer(TimerKind::ack_limit, learner);
  ctx.cancelTimer(TimerKind::newleader, learner);
  ServiceOf<decltype(ctx)>::onLearnerGone(ctx, learner);
  showLearners(ctx, learner);
  recountPromises(ctx);
}

void enterPhase(const IsContext auto& ctx, Phase phase) {
  if (ctx.node.phase == phase) return;
  ctx.node.phase = phase;
  ctx.emit(PhaseChanged{ctx.node.role, phase});
}

void showLearners(const IsContext auto& ctx, ServerId learner) {
  LearnerChanged event{learner, ctx.node.learners.contains(learner), {}};
  for (const auto& [id, state] : ctx.node.learners) event.learners.push_back(id);
  ctx.emit(std::move(event));
}

void dropLearner(const IsContext auto& ctx, ServerId learner) {
  ctx.disconnect(learner_link, learner);
  forget(ctx, learner);
}

void onLearnerGone(const IsContext auto& ctx, ServerId learner) { forget(ctx, learner); }

void hearLearner(const IsContext auto& ctx, ServerId id) {
  const auto found = ctx.node.learners.find(id);
  if (found == ctx.node.learners.end() || found->second.stage < LearnerStage::syncing) return;
  ctx.setTimer(TimerKind::learner_limit, ctx.config.sync_limit * ctx.config.tick_ms, id);
}

void onHalfTick(const IsContext auto& ctx) {
  auto& node = ctx.node;
  if (node.half_tick && node.phase == Phase::broadcast && !hearsQuorum(ctx) &&
      ctx.rules.lost_quorum == LostQuorum::step_down) {
    return becomeLooking(ctx, RoleReason::quorum_lost);
  }
  node.half_tick = !node.half_tick;
  for (const auto& [id, learner] : node.learners) {
    if (learner.stage >= LearnerStage::syncing) ctx.send(learner_link, id, Ping{node.last_proposed});
  }
  ctx.setTimer(TimerKind::half_tick, ctx.config.tick_ms / 2);
}

void onLearnerLimit(const IsContext auto& ctx, ServerId learner) { dropLearner(ctx, learner); }

void hearLeader(const IsContext auto& ctx) {
  const std::int64_t ticks = ctx.node.newleader_acked || ctx.node.phase == Phase::broadcast
                                 ? ctx.config.sync_limit
                                 : ctx.config.init_limit;
  ctx.setTimer(TimerKind::leader_limit, ticks * ctx.config.tick_ms);
}

void onPing(const IsContext auto& ctx, ServerId from, const Ping& ping) {
  // During synchronization a learner reads pings but does not answer them.
  if (!ctx.node.learns() || ctx.node.phase != Phase::broadcast) return;
  ServiceOf<decltype(ctx)>::onPinged(ctx);
  ctx.send(learner_link, from, ping);
}

void onLeaderGone(const IsContext auto& ctx) {
  if (ctx.rules.lost_leader == LostLeader::look_again) becomeLooking(ctx, RoleReason::leader_gone);
}

void onLeaderLimit(const IsContext auto& ctx) {
  if (ctx.rules.lost_leader == LostLeader::look_again) becomeLooking(ctx, RoleReason::leader_silent);
}

}  // namespace zablab::zab
