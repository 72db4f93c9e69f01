#include "protocol/zab/liveness.h"

#include <utility>
#include <vector>

#include "protocol/zab/quorum.h"
#include "protocol/zab/roles.h"

namespace zablab::zab {
namespace {

bool hearsQuorum(const Context& in) {
  std::vector<ServerId> alive(in.node.learners.begin(), in.node.learners.end());
  alive.push_back(in.node.self);
  return isQuorum(in.config, in.rules, alive);
}

void showLearners(const Context& in, ServerId learner) {
  const auto& learners = in.node.learners;
  in.emit(LearnerChanged{learner, learners.contains(learner), {learners.begin(), learners.end()}});
}

void reach(const Context& in, Phase phase) {
  if (in.node.phase == phase) return;
  in.node.phase = phase;
  in.emit(PhaseChanged{in.node.role, phase});
}

void beginServingWithQuorum(const Context& in) {
  if (in.node.phase == Phase::broadcast || !hearsQuorum(in)) return;
  in.cancelTimer(TimerKind::init_limit);
  reach(in, Phase::broadcast);
}

void drop(const Context& in, ServerId learner) {
  if (in.node.learners.erase(learner) == 0) return;
  in.cancelTimer(TimerKind::learner_limit, learner);
  showLearners(in, learner);
}

bool isLearner(const Node& node) { return node.role == Role::FOLLOWING || node.role == Role::OBSERVING; }

}  // namespace

void beginLeading(const Context& in) {
  in.setTimer(TimerKind::half_tick, in.config.tick_ms / 2);
  if (in.node.phase == Phase::broadcast) return;  // it was put into a role that it had already
  in.setTimer(TimerKind::init_limit, in.config.init_limit * in.config.tick_ms);
  beginServingWithQuorum(in);
}

void beginLearning(const Context& in) {
  in.setTimer(TimerKind::leader_limit, in.config.init_limit * in.config.tick_ms);
  in.connect(learner_link, *in.node.leader);
}

void onConnected(const Context& in) {
  if (!isLearner(in.node)) return;
  in.send(learner_link, *in.node.leader,
          LearnerInfo{in.node.role == Role::OBSERVING, in.node.accepted_epoch});
}

void onRefused(const Context& in) {
  if (!isLearner(in.node)) return;
  if (++in.node.refusals >= in.config.connect_attempts) return look(in, RoleReason::leader_unreachable);
  in.setTimer(TimerKind::connect_retry, in.config.connect_retry_ms);
}

void onConnectRetry(const Context& in) { in.connect(learner_link, *in.node.leader); }

void onDisconnected(const Context& in, ServerId peer) {
  if (in.node.role == Role::LEADING) return drop(in, peer);
  if (!isLearner(in.node) || peer != in.node.leader) return;
  if (in.rules.lost_leader == LostLeader::look_again) look(in, RoleReason::leader_gone);
}

void onLearnerInfo(const Context& in, ServerId from) {
  if (in.node.role != Role::LEADING) return;
  in.node.learners.insert(from);
  in.setTimer(TimerKind::learner_limit, (in.config.init_limit + in.config.sync_limit) * in.config.tick_ms,
              from);
  showLearners(in, from);
  in.send(learner_link, from, Ping{in.node.last_logged});
  beginServingWithQuorum(in);
}

void onPing(const Context& in, ServerId from, const Ping& ping) {
  const Millis limit = in.config.sync_limit * in.config.tick_ms;
  if (in.node.role == Role::LEADING) {
    if (in.node.learners.contains(from)) in.setTimer(TimerKind::learner_limit, limit, from);
  } else if (isLearner(in.node) && from == in.node.leader) {
    in.setTimer(TimerKind::leader_limit, limit);
    in.send(learner_link, from, ping);
    reach(in, Phase::broadcast);
  }
}

void onHalfTick(const Context& in) {
  Node& node = in.node;
  if (node.half_tick && node.phase == Phase::broadcast && !hearsQuorum(in) &&
      in.rules.lost_quorum == LostQuorum::step_down) {
    return look(in, RoleReason::quorum_lost);
  }
  node.half_tick = !node.half_tick;
  for (const ServerId learner : node.learners) in.send(learner_link, learner, Ping{node.last_logged});
  in.setTimer(TimerKind::half_tick, in.config.tick_ms / 2);
}

void onInitLimit(const Context& in) {
  if (in.rules.lost_quorum == LostQuorum::step_down) look(in, RoleReason::quorum_never_came);
}

void onLearnerLimit(const Context& in, ServerId learner) {
  in.disconnect(learner_link, learner);
  drop(in, learner);
}

void onLeaderLimit(const Context& in) {
  if (in.rules.lost_leader == LostLeader::look_again) look(in, RoleReason::leader_silent);
}

}  // namespace zablab::zab
