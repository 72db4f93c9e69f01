#pragma once

#include "protocol/zab/roles.h"

#include <algorithm>

#include "protocol/zab/discovery.h"
#include "protocol/zab/election.h"
#include "protocol/zab/liveness.h"
#include "protocol/zab/log.h"
#include "protocol/zab/synchronization.h"

namespace zablab::zab {

/// Ends the present role: its timers, its connections, and what only it reads.
void leave(const IsContext auto& in) {
  auto& node = in.node;
  switch (node.role) {
    case Role::LOOKING:
      in.cancelTimer(TimerKind::notification_wait);
      in.cancelTimer(TimerKind::finalize_wait);
      break;
    case Role::FOLLOWING:
    case Role::OBSERVING:
      in.cancelTimer(TimerKind::leader_limit);
      in.cancelTimer(TimerKind::connect_retry);
      in.disconnect(learner_link, *node.leader);
      break;
    case Role::LEADING:
      in.cancelTimer(TimerKind::half_tick);
      in.cancelTimer(TimerKind::init_limit);
      for (const auto& [id, learner] : node.learners) {
        in.cancelTimer(TimerKind::learner_limit, id);
        in.cancelTimer(TimerKind::ack_limit, id);
        in.cancelTimer(TimerKind::newleader, id);
        in.disconnect(learner_link, id);
      }
      break;
  }
  if (node.role != Role::LOOKING) {
    ServiceOf<decltype(in)>::onRoleOver(in);
    abandonSync(in);
    if (node.log_failed) reloadHistory(in, HistoryReason::reloaded);
    fastForward(in);
  }
  node.proposal = {};
  node.box.clear();
  node.established.clear();
  node.finalizing = false;
  node.delayed = false;
  node.doublings = 0;
  node.leader.reset();
  node.refusals = 0;
  node.epoch = 0;
  node.sync = SyncMode::NONE;
  node.newleader_acked = false;
  node.unlogged.clear();
  node.to_commit.clear();
  node.pending.clear();
  node.learners.clear();
  node.half_tick = false;
  node.connecting.clear();
  node.epoch_fixed = false;
  node.electing.clear();
  node.promised = false;
  node.newleader_acks.clear();
  node.last_proposed = {};
  node.last_committed = {};
  node.outstanding.clear();
  node.log_failed = false;
  node.logged_since_snapshot = 0;
}

void enter(const IsContext auto& in, Role role, Phase phase, std::optional<ServerId> leader,
           RoleReason reason) {
  in.emit(RoleChanged{in.node.role, role, phase, leader, reason});
  in.node.role = role;
  in.node.phase = phase;
  in.node.leader = leader;
}

bool load(const IsContext auto& in, const auto& disk) {
  auto& node = in.node;
  if (!disk.snapshot && !disk.log.empty()) {
    in.exit("there are transaction logs but no snapshot: the database cannot be trusted");
    return false;
  }
  node.files = disk;
  if (in.rules.round_memory == RoundMemory::disk) node.round = disk.round.value_or(0);
  readHistory(in.config, node);
  in.noteLogged(node.last_processed);
  if (!disk.snapshot) {
    if (in.config.autocreate) {
      in.write(BasicWriteSnapshot<ServiceOf<decltype(in)>>{});
    } else {
      node.last_processed = zxid_unusable;
    }
  }
  const std::int64_t epoch_of_log = std::max<std::int64_t>(node.last_processed.epoch(), 0);
  const std::int64_t current = disk.current_epoch.value_or(epoch_of_log);
  if (!disk.current_epoch) in.write(WriteCurrentEpoch{current});
  if (epoch_of_log > current) {
    const bool may_finish = in.rules.unfinished_epoch == UnfinishedEpoch::finished;
    if (!disk.current_epoch_tmp || !may_finish) {
      in.exit("the last transaction's epoch " + std::to_string(epoch_of_log) +
              " is newer than the current epoch " + std::to_string(current));
      return false;
    }
    in.write(WriteCurrentEpoch{*disk.current_epoch_tmp});
  }
  if (!disk.accepted_epoch) in.write(WriteAcceptedEpoch{epoch_of_log});
  if (node.acceptedEpoch() < node.currentEpoch()) {
    in.exit("the accepted epoch " + std::to_string(node.acceptedEpoch()) +
            " is older than the current epoch " + std::to_string(node.currentEpoch()));
    return false;
  }
  node.current_vote = initialVote(in.config, in.rules, node);
  return true;
}

void start(const IsContext auto& in, const auto& disk) {
  if (!load(in, disk)) return;
  in.emit(BasicHistoryLoaded{HistoryReason::started, in.node.history});
  enter(in, Role::LOOKING, Phase::election, std::nullopt, RoleReason::started);
  startElection(in);
}

void look(const IsContext auto& in, RoleReason reason) {
  const bool was_observing = in.node.role == Role::OBSERVING;
  leave(in);
  enter(in, Role::LOOKING, Phase::election, std::nullopt, reason);
  if (was_observing) {
    in.node.delayed = in.rules.observer_pause == ObserverPause::first;
    in.setTimerWithin(TimerKind::observer_delay, 0, in.config.observer_delay_ms);
  }
  if (!in.node.delayed) startElection(in);
}

template <class S>
void onWriteFailed(const BasicContext<S>& in, const BasicRecord<S>& record) {
  const auto* write = std::get_if<BasicWriteTxn<S>>(&record);
  const bool leads = in.node.role == Role::LEADING;
  const FailedWrite rule = in.rules.failed_write;
  const bool goes_on = rule == FailedWrite::ends_role || (rule == FailedWrite::leads_on && leads);
  if (write == nullptr || !goes_on) return in.exit("a write to the disk failed");
  forgetUnwritten(in, write->txn.zxid);
  if (rule == FailedWrite::leads_on) {
    in.node.log_failed = true;
  } else if (in.node.role != Role::LOOKING) {
    look(in, RoleReason::write_failed);
  }
}

void settle(const IsContext auto& in, Vote vote) {
  leave(in);
  in.node.current_vote = vote;
  if (vote.leader == in.node.self) {
    enter(in, Role::LEADING, Phase::discovery, vote.leader, RoleReason::decided);
    beginLeading(in);
  } else {
    enter(in, in.isVoter() ? Role::FOLLOWING : Role::OBSERVING, Phase::discovery, vote.leader,
          RoleReason::decided);
    beginLearning(in);
  }
}

void takeUp(const IsContext auto& in) {
  const auto& node = in.node;
  if (node.serves()) knowCommitted(in);
  in.emit(BasicHistoryLoaded{HistoryReason::placed, node.history});
  in.emit(RoleChanged{node.role, node.role, node.phase, node.leader, RoleReason::placed});
  if (node.role == Role::LOOKING)
    return in.setTimer(TimerKind::notification_wait, in.config.min_notification_ms);
  const bool serves = node.phase == Phase::broadcast;
  if (node.role != Role::LEADING) return serves ? hearLeader(in) : beginLearning(in);
  if (!serves) return beginLeading(in);
  in.emit(Established{node.epoch, node.last_processed, {}});
  in.setTimer(TimerKind::half_tick, in.config.tick_ms / 2);
  for (const auto& [id, learner] : node.learners) hearLearner(in, id);
}

}  // namespace zablab::zab
