#include "protocol/zab/discovery.h"

#include <algorithm>

#include "protocol/zab/broadcast.h"
#include "protocol/zab/liveness.h"
#include "protocol/zab/log.h"
#include "protocol/zab/quorum.h"
#include "protocol/zab/roles.h"
#include "protocol/zab/synchronization.h"

namespace zablab::zab {
namespace {

Millis initLimit(const Context& in) { return in.config.init_limit * in.config.tick_ms; }

bool isQuorumWithSelf(const Context& in, const std::set<ServerId>& servers) {
  const std::vector<ServerId> list(servers.begin(), servers.end());
  return servers.contains(in.node.self) && isQuorum(in.config, in.rules, list);
}

void sendLeaderInfo(const Context& in, ServerId id, Learner& learner) {
  learner.stage = LearnerStage::promising;
  in.send(learner_link, id, LeaderInfo{in.node.epoch});
}

/// A quorum has promised the epoch, or the learners' connections are taken for promises.
void endDiscoveryWithQuorum(const Context& in) {
  Node& node = in.node;
  const auto& promises = in.rules.epoch_quorum == EpochQuorum::promises ? node.electing : node.connecting;
  if (node.promised || !isQuorumWithSelf(in, promises)) return;
  node.promised = true;
  in.emit(EpochPromised{node.epoch, {promises.begin(), promises.end()}});
  in.write(WriteCurrentEpoch{node.epoch});
  enterPhase(in, Phase::synchronization);
  in.setTimer(TimerKind::init_limit, initLimit(in));
  if (in.rules.activation == Activation::epoch_quorum) activate(in);
  for (const auto& [id, learner] : node.learners) {
    if (learner.stage == LearnerStage::promised) synchronize(in, id);
  }
  countNewLeaderAck(in, node.self);
}

void fixEpoch(const Context& in) {
  Node& node = in.node;
  node.epoch_fixed = true;
  node.last_proposed = Zxid::of(node.epoch, 0);
  in.emit(EpochProposed{node.epoch, {node.connecting.begin(), node.connecting.end()}});
  if (in.rules.epoch_saved == EpochSaved::before_leaderinfo) in.write(WriteAcceptedEpoch{node.epoch});
  for (auto& [id, learner] : node.learners) sendLeaderInfo(in, id, learner);
  if (in.rules.epoch_saved == EpochSaved::after_leaderinfo) in.write(WriteAcceptedEpoch{node.epoch});
  in.setTimer(TimerKind::init_limit, initLimit(in));
  node.electing.insert(node.self);
  endDiscoveryWithQuorum(in);
}

/// Leader.getEpochToPropose: one more than any epoch that those who connected have accepted, observers
/// included; fixed when the voters among them are a quorum.
void countAcceptedEpoch(const Context& in, ServerId id, std::int64_t accepted) {
  Node& node = in.node;
  const std::int64_t next =
      in.rules.new_epoch == NewEpoch::larger ? accepted + 1 : std::max<std::int64_t>(accepted, 1);
  node.epoch = std::max(node.epoch, next);
  if (in.config.isVoter(id)) node.connecting.insert(id);
  if (isQuorumWithSelf(in, node.connecting)) fixEpoch(in);
}

}  // namespace

void beginLeading(const Context& in) {
  writeSnapshot(in, false);
  in.setTimer(TimerKind::half_tick, in.config.tick_ms / 2);
  in.setTimer(TimerKind::init_limit, initLimit(in));
  countAcceptedEpoch(in, in.node.self, in.node.acceptedEpoch());
}

void onLearnerInfo(const Context& in, ServerId from, bool observer, std::int64_t accepted) {
  Node& node = in.node;
  if (node.role != Role::LEADING) return;
  if (accepted < 0 || accepted >= epoch_max) return in.disconnect(learner_link, from);
  Learner& learner = node.learners[from] = {.observer = observer};
  showLearners(in, from);
  in.setTimer(TimerKind::learner_limit, initLimit(in), from);
  if (node.epoch_fixed) return sendLeaderInfo(in, from, learner);
  countAcceptedEpoch(in, from, accepted);
}

void onAckEpoch(const Context& in, ServerId from, const AckEpoch& ack) {
  Node& node = in.node;
  const auto found = node.learners.find(from);
  if (found == node.learners.end() || found->second.stage != LearnerStage::promising) return;
  Learner& learner = found->second;
  learner.last = ack.last;
  in.setTimer(TimerKind::learner_limit, initLimit(in), from);
  if (node.promised) return synchronize(in, from);
  if (ack.current_epoch) {
    const bool ahead = *ack.current_epoch != node.currentEpoch() ? *ack.current_epoch > node.currentEpoch()
                                                                 : ack.last > node.last_processed;
    if (ahead && in.rules.follower_ahead == FollowerAhead::refused) {
      in.emit(LearnerAhead{from, *ack.current_epoch, ack.last});
      return dropLearner(in, from);
    }
    if (in.config.isVoter(from)) node.electing.insert(from);
  }
  learner.stage = LearnerStage::promised;
  endDiscoveryWithQuorum(in);
}

void onInitLimit(const Context& in) {
  if (in.rules.lost_quorum == LostQuorum::keep_leading) return;
  look(in, !in.node.epoch_fixed ? RoleReason::quorum_never_came
           : !in.node.promised  ? RoleReason::no_promises
                                : RoleReason::no_newleader_quorum);
}

void beginLearning(const Context& in) {
  in.setTimer(TimerKind::leader_limit, initLimit(in));
  in.connect(learner_link, *in.node.leader);
}

void onLeaderConnected(const Context& in) {
  const std::int64_t accepted = in.node.acceptedEpoch();
  const bool observes = in.node.role == Role::OBSERVING;
  in.send(learner_link, *in.node.leader,
          observes ? Message{ObserverInfo{accepted}} : Message{FollowerInfo{accepted}});
}

void onLeaderRefused(const Context& in) {
  if (++in.node.refusals >= in.config.connect_attempts) return look(in, RoleReason::leader_unreachable);
  in.setTimer(TimerKind::connect_retry, in.config.connect_retry_ms);
}

void onConnectRetry(const Context& in) { in.connect(learner_link, *in.node.leader); }

void onLeaderInfo(const Context& in, const LeaderInfo& info) {
  Node& node = in.node;
  if (info.epoch < node.acceptedEpoch()) return look(in, RoleReason::epoch_behind);
  AckEpoch ack{node.currentEpoch(), node.last_processed};
  if (info.epoch > node.acceptedEpoch()) {
    in.write(WriteAcceptedEpoch{info.epoch});
  } else if (in.rules.equal_epoch == EqualEpoch::not_counted) {
    ack.current_epoch.reset();
  }
  node.epoch = info.epoch;
  in.send(learner_link, *node.leader, ack);
}

}  // namespace zablab::zab
