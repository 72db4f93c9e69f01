#pragma once

#include "protocol/zab/liveness.h"

#include "protocol/zab/discovery.h"
#include "protocol/zab/quorum.h"
#include "protocol/zab/roles.h"

namespace zablab::zab {

bool hearsQuorum(const IsContext auto& in) {
  std::vector<ServerId> alive{in.node.self};
  for (const auto& [id, learner] : in.node.learners) alive.push_back(id);
  return isQuorum(in.config, in.rules, alive);
}

void forget(const IsContext auto& in, ServerId learner) {
  if (in.node.learners.erase(learner) == 0) return;
  in.cancelTimer(TimerKind::learner_limit, learner);
  in.cancelTimer(TimerKind::ack_limit, learner);
  in.cancelTimer(TimerKind::newleader, learner);
  ServiceOf<decltype(in)>::onLearnerGone(in, learner);
  showLearners(in, learner);
  recountPromises(in);
}

void enterPhase(const IsContext auto& in, Phase phase) {
  if (in.node.phase == phase) return;
  in.node.phase = phase;
  in.emit(PhaseChanged{in.node.role, phase});
}

void showLearners(const IsContext auto& in, ServerId learner) {
  LearnerChanged event{learner, in.node.learners.contains(learner), {}};
  for (const auto& [id, state] : in.node.learners) event.learners.push_back(id);
  in.emit(std::move(event));
}

void dropLearner(const IsContext auto& in, ServerId learner) {
  in.disconnect(learner_link, learner);
  forget(in, learner);
}

void onLearnerGone(const IsContext auto& in, ServerId learner) { forget(in, learner); }

void hearLearner(const IsContext auto& in, ServerId id) {
  const auto found = in.node.learners.find(id);
  if (found == in.node.learners.end() || found->second.stage < LearnerStage::syncing) return;
  in.setTimer(TimerKind::learner_limit, in.config.sync_limit * in.config.tick_ms, id);
}

void onHalfTick(const IsContext auto& in) {
  auto& node = in.node;
  if (node.half_tick && node.phase == Phase::broadcast && !hearsQuorum(in) &&
      in.rules.lost_quorum == LostQuorum::step_down) {
    return look(in, RoleReason::quorum_lost);
  }
  node.half_tick = !node.half_tick;
  for (const auto& [id, learner] : node.learners) {
    if (learner.stage >= LearnerStage::syncing) in.send(learner_link, id, Ping{node.last_proposed});
  }
  in.setTimer(TimerKind::half_tick, in.config.tick_ms / 2);
}

void onLearnerLimit(const IsContext auto& in, ServerId learner) { dropLearner(in, learner); }

void hearLeader(const IsContext auto& in) {
  const std::int64_t ticks = in.node.newleader_acked || in.node.phase == Phase::broadcast
                                 ? in.config.sync_limit
                                 : in.config.init_limit;
  in.setTimer(TimerKind::leader_limit, ticks * in.config.tick_ms);
}

void onPing(const IsContext auto& in, ServerId from, const Ping& ping) {
  // While it synchronizes a learner reads pings and does not answer them.
  if (in.node.learns() && in.node.phase == Phase::broadcast) in.send(learner_link, from, ping);
}

void onLeaderGone(const IsContext auto& in) {
  if (in.rules.lost_leader == LostLeader::look_again) look(in, RoleReason::leader_gone);
}

void onLeaderLimit(const IsContext auto& in) {
  if (in.rules.lost_leader == LostLeader::look_again) look(in, RoleReason::leader_silent);
}

}  // namespace zablab::zab
