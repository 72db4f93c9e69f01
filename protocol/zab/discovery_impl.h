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

Millis initLimit(const IsContext auto& ctx) { return ctx.config.init_limit * ctx.config.tick_ms; }

bool isQuorumWithSelf(const IsContext auto& ctx, const std::set<ServerId>& servers) {
  const std::vector<ServerId> list(servers.begin(), servers.end());
  return servers.contains(ctx.node.self) && isQuorum(ctx.config, ctx.rules, list);
}

void sendLeaderInfo(const IsContext auto& ctx, ServerId id, Learner& learner) {
  learner.stage = LearnerStage::promising;
  ctx.send(learner_link, id, LeaderInfo{ctx.node.epoch});
}

/// Whether a voter has reported its history (ACKEPOCH). Observers do not count.
inline bool hasPromised(const Learner& learner) {
  return !learner.observer && learner.stage >= LearnerStage::promised;
}

/// Whether some voters are connected and have not reported their history yet.
bool awaitsPromises(const auto& node) {
  return std::any_of(node.learners.begin(), node.learners.end(),
                     [](const auto& entry) { return !entry.second.observer && !hasPromised(entry.second); });
}

/// Judges each transaction of the leader's history that no server heard from, itself included, knows to be
/// committed: it is kept if the servers that have it, or may have it, are enough. The first that is not kept
/// is cut off with everything after it. A server that has a transaction has all before it.
void judgeTail(const IsContext auto& ctx) {
  const auto& node = ctx.node;
  Zxid committed = node.known_committed.value_or(Zxid{});
  for (const auto& [id, learner] : node.learners) {
    if (hasPromised(learner)) committed = std::max(committed, learner.committed.value_or(Zxid{}));
  }
  Zxid kept;
  for (const auto& txn : node.history) {
    if (txn.zxid > committed) {
      TailJudged judged{txn.zxid, {node.self}, {}, false};
      for (const Member& member : ctx.config.members) {
        if (member.observer || member.id == node.self) continue;
        const auto learner = node.learners.find(member.id);
        if (learner == node.learners.end() || !hasPromised(learner->second)) {
          judged.unheard.push_back(member.id);
        } else if (learner->second.last >= txn.zxid) {
          judged.holders.push_back(member.id);
        }
      }
      std::sort(judged.holders.begin(), judged.holders.end());
      judged.kept = keepsTail(ctx.config, ctx.rules, judged.holders, judged.unheard);
      ctx.emit(judged);
      if (!judged.kept) return cutOwnTail(ctx, kept);
    }
    kept = txn.zxid;
  }
}

/// Ends discovery if a quorum has promised the epoch or, where a rule lets connections count as promises, has
/// connected.
void endDiscoveryWithQuorum(const IsContext auto& ctx) {
  auto& node = ctx.node;
  const auto& promises =
      ctx.rules.epoch_quorum == EpochQuorum::promises ? node.electing_followers : node.connecting_followers;
  if (node.promised || !isQuorumWithSelf(ctx, promises)) return;
  if (ctx.rules.leader_tail != LeaderTail::whole) {
    if (awaitsPromises(node)) return;
    judgeTail(ctx);
  }
  node.promised = true;
  ctx.emit(EpochPromised{node.epoch, {promises.begin(), promises.end()}});
  ctx.write(WriteCurrentEpoch{node.epoch});
  enterPhase(ctx, Phase::synchronization);
  ctx.setTimer(TimerKind::init_limit, initLimit(ctx));
  if (ctx.rules.activation == Activation::epoch_quorum) activate(ctx);
  for (const auto& [id, learner] : node.learners) {
    if (learner.stage == LearnerStage::promised) synchronize(ctx, id);
  }
  countNewLeaderAck(ctx, node.self);
}

void fixEpoch(const IsContext auto& ctx) {
  auto& node = ctx.node;
  node.epoch_fixed = true;
  node.last_proposed = Zxid::of(node.epoch, 0);
  ctx.emit(EpochProposed{node.epoch, {node.connecting_followers.begin(), node.connecting_followers.end()}});
  if (ctx.rules.epoch_saved == EpochSaved::before_leaderinfo) ctx.write(WriteAcceptedEpoch{node.epoch});
  for (auto& [id, learner] : node.learners) sendLeaderInfo(ctx, id, learner);
  if (ctx.rules.epoch_saved == EpochSaved::after_leaderinfo) ctx.write(WriteAcceptedEpoch{node.epoch});
  ctx.setTimer(TimerKind::init_limit, initLimit(ctx));
  node.electing_followers.insert(node.self);
  endDiscoveryWithQuorum(ctx);
}

/// Leader.getEpochToPropose: one more than any epoch that the servers that have connected had accepted,
/// observers included; fixed when the voters among them are a quorum.
void countAcceptedEpoch(const IsContext auto& ctx, ServerId id, std::int64_t accepted) {
  auto& node = ctx.node;
  const std::int64_t next =
      ctx.rules.new_epoch == NewEpoch::larger ? accepted + 1 : std::max<std::int64_t>(accepted, 1);
  node.epoch = std::max(node.epoch, next);
  if (ctx.config.isVoter(id)) node.connecting_followers.insert(id);
  if (isQuorumWithSelf(ctx, node.connecting_followers)) fixEpoch(ctx);
}

void beginLeading(const IsContext auto& ctx) {
  writeSnapshot(ctx, false);
  ctx.setTimer(TimerKind::half_tick, ctx.config.tick_ms / 2);
  ctx.setTimer(TimerKind::init_limit, initLimit(ctx));
  countAcceptedEpoch(ctx, ctx.node.self, ctx.node.acceptedEpoch());
}

void onLearnerInfo(const IsContext auto& ctx, ServerId from, bool observer, std::int64_t accepted) {
  auto& node = ctx.node;
  if (node.role != Role::LEADING) return;
  if (accepted < 0 || accepted >= epoch_max) return ctx.disconnect(learner_link, from);
  if (node.learners.contains(from))
    onLearnerGone(ctx, from);  // the end of its earlier connection has not been seen yet
  Learner& learner = node.learners[from] = {.observer = observer};
  showLearners(ctx, from);
  ctx.setTimer(TimerKind::learner_limit, initLimit(ctx), from);
  if (node.epoch_fixed) return sendLeaderInfo(ctx, from, learner);
  countAcceptedEpoch(ctx, from, accepted);
}

void onAckEpoch(const IsContext auto& ctx, ServerId from, const AckEpoch& ack) {
  auto& node = ctx.node;
  const auto found = node.learners.find(from);
  if (found == node.learners.end() || found->second.stage != LearnerStage::promising) return;
  Learner& learner = found->second;
  learner.last = ack.last;
  learner.committed = ack.committed;
  ctx.setTimer(TimerKind::learner_limit, initLimit(ctx), from);
  if (node.promised) return synchronize(ctx, from);
  if (ack.current_epoch) {
    const bool ahead = *ack.current_epoch != node.currentEpoch() ? *ack.current_epoch > node.currentEpoch()
                                                                 : ack.last > node.last_processed;
    if (ahead && ctx.rules.follower_ahead == FollowerAhead::refused) {
      ctx.emit(LearnerAhead{from, *ack.current_epoch, ack.last});
      return dropLearner(ctx, from);
    }
    if (ctx.config.isVoter(from)) node.electing_followers.insert(from);
  }
  learner.stage = LearnerStage::promised;
  endDiscoveryWithQuorum(ctx);
}

void recountPromises(const IsContext auto& ctx) {
  if (ctx.node.epoch_fixed) endDiscoveryWithQuorum(ctx);
}

void onInitLimit(const IsContext auto& ctx) {
  if (ctx.rules.lost_quorum == LostQuorum::keep_leading) return;
  becomeLooking(ctx, !ctx.node.epoch_fixed ? RoleReason::quorum_never_came
                     : !ctx.node.promised  ? RoleReason::no_promises
                                           : RoleReason::no_newleader_quorum);
}

void beginLearning(const IsContext auto& ctx) {
  ctx.setTimer(TimerKind::leader_limit, initLimit(ctx));
  ctx.connect(learner_link, *ctx.node.leader);
}

void onLeaderConnected(const IsContext auto& ctx) {
  const std::int64_t accepted = ctx.node.acceptedEpoch();
  const bool observes = ctx.node.role == Role::OBSERVING;
  if (observes) {
    ctx.send(learner_link, *ctx.node.leader, ObserverInfo{accepted});
  } else {
    ctx.send(learner_link, *ctx.node.leader, FollowerInfo{accepted});
  }
}

void onLeaderRefused(const IsContext auto& ctx) {
  if (++ctx.node.refusals >= ctx.config.connect_attempts)
    return becomeLooking(ctx, RoleReason::leader_unreachable);
  ctx.setTimer(TimerKind::connect_retry, ctx.config.connect_retry_ms);
}

void onConnectRetry(const IsContext auto& ctx) { ctx.connect(learner_link, *ctx.node.leader); }

void onLeaderInfo(const IsContext auto& ctx, const LeaderInfo& info) {
  auto& node = ctx.node;
  if (info.epoch < node.acceptedEpoch() && ctx.rules.leader_behind == LeaderBehind::left)
    return becomeLooking(ctx, RoleReason::epoch_behind);
  AckEpoch ack{node.currentEpoch(), node.last_processed, node.known_committed};
  if (info.epoch > node.acceptedEpoch()) {
    ctx.write(WriteAcceptedEpoch{info.epoch});
  } else if (info.epoch < node.acceptedEpoch() || ctx.rules.equal_epoch == EqualEpoch::not_counted) {
    ack.current_epoch.reset();
  }
  node.epoch = info.epoch;
  ctx.send(learner_link, *node.leader, ack);
}

}  // namespace zablab::zab
