#pragma once

#include "protocol/zab/roles.h"

#include <algorithm>

#include "protocol/zab/discovery.h"
#include "protocol/zab/election.h"
#include "protocol/zab/liveness.h"
#include "protocol/zab/log.h"
#include "protocol/zab/quorum.h"
#include "protocol/zab/synchronization.h"

namespace zablab::zab {

/// Ends the present role: its timers, its connections, and the state that only it reads.
void leave(const IsContext auto& ctx) {
  auto& node = ctx.node;
  switch (node.role) {
    case Role::LOOKING:
      ctx.cancelTimer(TimerKind::notification_wait);
      ctx.cancelTimer(TimerKind::finalize_wait);
      if constexpr (NoticesLooking<ServiceOf<decltype(ctx)>>) ServiceOf<decltype(ctx)>::onLookingOver(ctx);
      break;
    case Role::FOLLOWING:
    case Role::OBSERVING:
      ctx.cancelTimer(TimerKind::leader_limit);
      ctx.cancelTimer(TimerKind::connect_retry);
      ctx.disconnect(learner_link, *node.leader);
      break;
    case Role::LEADING:
      ctx.cancelTimer(TimerKind::half_tick);
      ctx.cancelTimer(TimerKind::init_limit);
      for (const auto& [id, learner] : node.learners) {
        ctx.cancelTimer(TimerKind::learner_limit, id);
        ctx.cancelTimer(TimerKind::ack_limit, id);
        ctx.cancelTimer(TimerKind::newleader, id);
        ctx.disconnect(learner_link, id);
      }
      break;
  }
  if (node.role != Role::LOOKING) {
    ServiceOf<decltype(ctx)>::onRoleOver(ctx);
    endSnapshotWithRole(ctx);
    abandonSync(ctx);
    if (node.log_failed) reloadHistory(ctx, HistoryReason::reloaded);
    fastForward(ctx);
  }
  using S = ServiceOf<decltype(ctx)>;
  static_cast<Election&>(node) = {};
  static_cast<BasicLearning<S>&>(node) = {};
  static_cast<BasicLeading<S>&>(node) = {};
  node.leader.reset();
  node.epoch = 0;
  node.logged_since_snapshot = 0;
}

void enter(const IsContext auto& ctx, Role role, Phase phase, std::optional<ServerId> leader,
           RoleReason reason) {
  ctx.emit(RoleChanged{ctx.node.role, role, phase, leader, reason});
  ctx.node.role = role;
  ctx.node.phase = phase;
  ctx.node.leader = leader;
}

bool load(const IsContext auto& ctx, const auto& disk) {
  auto& node = ctx.node;
  if (!disk.snapshot && !disk.log.empty()) {
    ctx.exit("there are transaction logs but no snapshot: the database cannot be trusted");
    return false;
  }
  node.files = disk;
  if (ctx.rules.round_memory == RoundMemory::disk) node.logicalclock = disk.logicalclock.value_or(0);
  readHistory(ctx.config, node);
  ctx.noteLogged(node.last_processed);
  if (!disk.snapshot) {
    if (ctx.config.autocreate) {
      ctx.write(BasicWriteSnapshot<ServiceOf<decltype(ctx)>>{});
    } else {
      node.last_processed = zxid_unusable;
    }
  }
  const std::int64_t epoch_of_log = std::max<std::int64_t>(node.last_processed.epoch(), 0);
  const std::int64_t current = disk.current_epoch.value_or(epoch_of_log);
  if (!disk.current_epoch) ctx.write(WriteCurrentEpoch{current});
  if (epoch_of_log > current) {
    const bool may_finish = ctx.rules.unfinished_epoch == UnfinishedEpoch::finished;
    if (!disk.current_epoch_tmp || !may_finish) {
      ctx.exit("the last transaction's epoch is newer than the current epoch");
      return false;
    }
    ctx.write(WriteCurrentEpoch{*disk.current_epoch_tmp});
  }
  if (!disk.accepted_epoch) ctx.write(WriteAcceptedEpoch{epoch_of_log});
  if (node.acceptedEpoch() < node.currentEpoch()) {
    ctx.exit("the accepted epoch is older than the current epoch");
    return false;
  }
  node.current_vote = initialVote(ctx.config, ctx.rules, node);
  return true;
}

/// The server looks for a leader from now on.
void enterLooking(const IsContext auto& ctx, RoleReason reason) {
  enter(ctx, Role::LOOKING, Phase::election, std::nullopt, reason);
  if constexpr (NoticesLooking<ServiceOf<decltype(ctx)>>) ServiceOf<decltype(ctx)>::onLooking(ctx);
}

/// A server that is alone serves its clients from the start, in the epoch of its last transaction.
void standAlone(const IsContext auto& ctx) {
  auto& node = ctx.node;
  enter(ctx, Role::LEADING, Phase::broadcast, node.self, RoleReason::started);
  node.epoch = node.last_processed.epoch();
  node.epoch_fixed = node.promised = true;
  node.last_proposed = node.last_committed = node.last_processed;
  writeSnapshot(ctx, false);
  knowCommitted(ctx);
  ServiceOf<decltype(ctx)>::onServes(ctx);
}

void start(const IsContext auto& ctx, const auto& disk) {
  if (!load(ctx, disk)) return;
  ctx.emit(BasicHistoryLoaded{HistoryReason::started, ctx.node.history});
  if (ctx.config.standalone) return standAlone(ctx);
  enterLooking(ctx, RoleReason::started);
  startElection(ctx);
}

void becomeLooking(const IsContext auto& ctx, RoleReason reason) {
  if (ctx.config.standalone) return;  // it has nobody to look for
  const bool was_observing = ctx.node.role == Role::OBSERVING;
  leave(ctx);
  enterLooking(ctx, reason);
  if (was_observing) {
    ctx.node.delayed = ctx.rules.observer_pause == ObserverPause::first;
    ctx.setTimerWithin(TimerKind::observer_delay, 0, ctx.config.observer_delay_ms);
  }
  if (!ctx.node.delayed) startElection(ctx);
}

template <class S>
void onWriteFailed(const BasicContext<S>& ctx, const BasicRecord<S>& record) {
  const auto* write = get_if<BasicWriteTxn<S>>(&record);
  const bool leads = ctx.node.role == Role::LEADING;
  const FailedWrite rule = ctx.rules.failed_write;
  const bool goes_on =
      (rule == FailedWrite::ends_role && !ctx.config.standalone) || (rule == FailedWrite::leads_on && leads);
  if (write == nullptr || !goes_on) return ctx.exit("a write to the disk failed");
  forgetUnwritten(ctx, write->txn.zxid);
  if (rule == FailedWrite::leads_on) {
    ctx.node.log_failed = true;
  } else if (ctx.node.role != Role::LOOKING) {
    becomeLooking(ctx, RoleReason::write_failed);
  }
}

void becomeLeading(const IsContext auto& ctx, Vote vote) {
  leave(ctx);
  ctx.node.current_vote = vote;
  enter(ctx, Role::LEADING, Phase::discovery, vote.leader, RoleReason::decided);
  beginLeading(ctx);
}

void becomeFollowing(const IsContext auto& ctx, Vote vote) {
  leave(ctx);
  ctx.node.current_vote = vote;
  enter(ctx, isElectable(ctx.config, ctx.rules, ctx.node.self) ? Role::FOLLOWING : Role::OBSERVING,
        Phase::discovery, vote.leader, RoleReason::decided);
  beginLearning(ctx);
}

void takeUp(const IsContext auto& ctx) {
  const auto& node = ctx.node;
  if (node.serves()) knowCommitted(ctx);
  ctx.emit(BasicHistoryLoaded{HistoryReason::placed, node.history});
  ctx.emit(RoleChanged{node.role, node.role, node.phase, node.leader, RoleReason::placed});
  if (node.role == Role::LOOKING) {
    if constexpr (NoticesLooking<ServiceOf<decltype(ctx)>>) ServiceOf<decltype(ctx)>::onLooking(ctx);
    return ctx.setTimer(TimerKind::notification_wait, ctx.config.min_notification_ms);
  }
  const bool serves = node.phase == Phase::broadcast;
  if (serves) ServiceOf<decltype(ctx)>::onServes(ctx);
  if (node.role != Role::LEADING) return serves ? hearLeader(ctx) : beginLearning(ctx);
  if (!serves) return beginLeading(ctx);
  ctx.emit(Established{node.epoch, node.last_processed, {}});
  if (ctx.config.standalone) return;
  ctx.setTimer(TimerKind::half_tick, ctx.config.tick_ms / 2);
  for (const auto& [id, learner] : node.learners) hearLearner(ctx, id);
}

}  // namespace zablab::zab
