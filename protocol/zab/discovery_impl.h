#pragma once

#include "protocol/zab/discovery.h"

#include <algorithm>

#include "protocol/zab/broadcast.h"
#include "protocol/zab/liveness.h"
#include "protocol/zab/log.h"
#include "protocol/zab/quorum.h"
#include "protocol/zab/roles.h"
#include "protocol/zab/synchronization.h"

namespace zablab::zab {

Millis initLimit(const IsContext auto& in) { return in.config.init_limit * in.config.tick_ms; }

bool isQuorumWithSelf(const IsContext auto& in, const std::set<ServerId>& servers) {
  const std::vector<ServerId> list(servers.begin(), servers.end());
  return servers.contains(in.node.self) && isQuorum(in.config, in.rules, list);
}

void sendLeaderInfo(const IsContext auto& in, ServerId id, Learner& learner) {
  learner.stage = LearnerStage::promising;
  in.send(learner_link, id, LeaderInfo{in.node.epoch});
}

/// Said what it has.
inline bool hasPromised(const Learner& learner) {
  return !learner.observer && learner.stage >= LearnerStage::promised;
}

/// Some voters are connected and have not said yet what they have.
bool awaitsPromises(const auto& node) {
  return std::any_of(node.learners.begin(), node.learners.end(),
                     [](const auto& entry) { return !entry.second.observer && !hasPromised(entry.second); });
}

/// What of the own log is kept that nobody who was heard knows to be committed: as long as those who have it,
/// or may have it, are enough. Who has a transaction has all before it.
void judgeTail(const IsContext auto& in) {
  const auto& node = in.node;
  Zxid committed = node.known_committed.value_or(Zxid{});
  for (const auto& [id, learner] : node.learners) {
    if (hasPromised(learner)) committed = std::max(committed, learner.committed.value_or(Zxid{}));
  }
  Zxid kept;
  for (const auto& txn : node.history) {
    if (txn.zxid > committed) {
      TailJudged judged{txn.zxid, {node.self}, {}, false};
      for (const Member& member : in.config.members) {
        if (member.observer || member.id == node.self) continue;
        const auto learner = node.learners.find(member.id);
        if (learner == node.learners.end() || !hasPromised(learner->second)) {
          judged.unheard.push_back(member.id);
        } else if (learner->second.last >= txn.zxid) {
          judged.holders.push_back(member.id);
        }
      }
      std::sort(judged.holders.begin(), judged.holders.end());
      judged.kept = keepsTail(in.config, in.rules, judged.holders, judged.unheard);
      in.emit(judged);
      if (!judged.kept) return cutOwnTail(in, kept);
    }
    kept = txn.zxid;
  }
}

/// A quorum has promised the epoch, or the learners' connections are taken for promises.
void endDiscoveryWithQuorum(const IsContext auto& in) {
  auto& node = in.node;
  const auto& promises = in.rules.epoch_quorum == EpochQuorum::promises ? node.electing : node.connecting;
  if (node.promised || !isQuorumWithSelf(in, promises)) return;
  if (in.rules.leader_tail != LeaderTail::whole) {
    if (awaitsPromises(node)) return;
    judgeTail(in);
  }
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

void fixEpoch(const IsContext auto& in) {
  auto& node = in.node;
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
void countAcceptedEpoch(const IsContext auto& in, ServerId id, std::int64_t accepted) {
  auto& node = in.node;
  const std::int64_t next =
      in.rules.new_epoch == NewEpoch::larger ? accepted + 1 : std::max<std::int64_t>(accepted, 1);
  node.epoch = std::max(node.epoch, next);
  if (in.config.isVoter(id)) node.connecting.insert(id);
  if (isQuorumWithSelf(in, node.connecting)) fixEpoch(in);
}

void beginLeading(const IsContext auto& in) {
  writeSnapshot(in, false);
  in.setTimer(TimerKind::half_tick, in.config.tick_ms / 2);
  in.setTimer(TimerKind::init_limit, initLimit(in));
  countAcceptedEpoch(in, in.node.self, in.node.acceptedEpoch());
}

void onLearnerInfo(const IsContext auto& in, ServerId from, bool observer, std::int64_t accepted) {
  auto& node = in.node;
  if (node.role != Role::LEADING) return;
  if (accepted < 0 || accepted >= epoch_max) return in.disconnect(learner_link, from);
  if (node.learners.contains(from)) onLearnerGone(in, from);  // its earlier connection's end was overtaken
  Learner& learner = node.learners[from] = {.observer = observer};
  showLearners(in, from);
  in.setTimer(TimerKind::learner_limit, initLimit(in), from);
  if (node.epoch_fixed) return sendLeaderInfo(in, from, learner);
  countAcceptedEpoch(in, from, accepted);
}

void onAckEpoch(const IsContext auto& in, ServerId from, const AckEpoch& ack) {
  auto& node = in.node;
  const auto found = node.learners.find(from);
  if (found == node.learners.end() || found->second.stage != LearnerStage::promising) return;
  Learner& learner = found->second;
  learner.last = ack.last;
  learner.committed = ack.committed;
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

void recountPromises(const IsContext auto& in) {
  if (in.node.epoch_fixed) endDiscoveryWithQuorum(in);
}

void onInitLimit(const IsContext auto& in) {
  if (in.rules.lost_quorum == LostQuorum::keep_leading) return;
  look(in, !in.node.epoch_fixed ? RoleReason::quorum_never_came
           : !in.node.promised  ? RoleReason::no_promises
                                : RoleReason::no_newleader_quorum);
}

void beginLearning(const IsContext auto& in) {
  in.setTimer(TimerKind::leader_limit, initLimit(in));
  in.connect(learner_link, *in.node.leader);
}

void onLeaderConnected(const IsContext auto& in) {
  const std::int64_t accepted = in.node.acceptedEpoch();
  const bool observes = in.node.role == Role::OBSERVING;
  if (observes) {
    in.send(learner_link, *in.node.leader, ObserverInfo{accepted});
  } else {
    in.send(learner_link, *in.node.leader, FollowerInfo{accepted});
  }
}

void onLeaderRefused(const IsContext auto& in) {
  if (++in.node.refusals >= in.config.connect_attempts) return look(in, RoleReason::leader_unreachable);
  in.setTimer(TimerKind::connect_retry, in.config.connect_retry_ms);
}

void onConnectRetry(const IsContext auto& in) { in.connect(learner_link, *in.node.leader); }

void onLeaderInfo(const IsContext auto& in, const LeaderInfo& info) {
  auto& node = in.node;
  if (info.epoch < node.acceptedEpoch() && in.rules.leader_behind == LeaderBehind::left)
    return look(in, RoleReason::epoch_behind);
  AckEpoch ack{node.currentEpoch(), node.last_processed, node.known_committed};
  if (info.epoch > node.acceptedEpoch()) {
    in.write(WriteAcceptedEpoch{info.epoch});
  } else if (info.epoch < node.acceptedEpoch() || in.rules.equal_epoch == EqualEpoch::not_counted) {
    ack.current_epoch.reset();
  }
  node.epoch = info.epoch;
  in.send(learner_link, *node.leader, ack);
}

}  // namespace zablab::zab
