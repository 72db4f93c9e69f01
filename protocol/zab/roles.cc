#include "protocol/zab/roles.h"

#include <algorithm>

#include "protocol/zab/election.h"
#include "protocol/zab/liveness.h"

namespace zablab::zab {
namespace {

/// Ends the present role: its timers, its connections, and what only it reads.
void leave(const Context& in) {
  Node& node = in.node;
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
      for (const ServerId learner : node.learners) {
        in.cancelTimer(TimerKind::learner_limit, learner);
        in.disconnect(learner_link, learner);
      }
      break;
  }
  node.proposal = {};
  node.box.clear();
  node.established.clear();
  node.finalizing = false;
  node.delayed = false;
  node.doublings = 0;
  node.leader.reset();
  node.refusals = 0;
  node.learners.clear();
  node.half_tick = false;
}

void enter(const Context& in, Role role, Phase phase, std::optional<ServerId> leader, RoleReason reason) {
  in.emit(RoleChanged{in.node.role, role, leader, reason});
  in.node.role = role;
  in.node.phase = phase;
  in.node.leader = leader;
}

}  // namespace

bool load(const Context& in, const Durable& disk) {
  Node& node = in.node;
  if (!disk.snapshot && !disk.log.empty()) {
    in.exit("there are transaction logs but no snapshot: the database cannot be trusted");
    return false;
  }
  node.last_snapshot = disk.snapshot.value_or(Zxid{});
  node.last_logged = disk.log.empty() ? node.last_snapshot : std::max(node.last_snapshot, disk.log.back());
  if (!disk.snapshot) {
    if (in.config.autocreate) {
      in.write(WriteSnapshot{Zxid{}});
    } else {
      node.last_logged = zxid_unusable;
    }
  }
  const std::int64_t epoch_of_log = std::max<std::int64_t>(node.last_logged.epoch(), 0);
  node.current_epoch = disk.current_epoch.value_or(epoch_of_log);
  node.accepted_epoch = disk.accepted_epoch.value_or(epoch_of_log);
  if (!disk.current_epoch) in.write(WriteCurrentEpoch{node.current_epoch});
  if (epoch_of_log > node.current_epoch) {
    if (disk.current_epoch_tmp != epoch_of_log) {
      in.exit("the last transaction's epoch " + std::to_string(epoch_of_log) +
              " is newer than the current epoch " + std::to_string(node.current_epoch));
      return false;
    }
    node.current_epoch = epoch_of_log;
    in.write(WriteCurrentEpoch{node.current_epoch});
  }
  if (!disk.accepted_epoch) in.write(WriteAcceptedEpoch{node.accepted_epoch});
  if (node.accepted_epoch < node.current_epoch) {
    in.exit("the accepted epoch " + std::to_string(node.accepted_epoch) +
            " is older than the current epoch " + std::to_string(node.current_epoch));
    return false;
  }
  node.current_vote = initialVote(in.config, in.rules, node);
  return true;
}

void start(const Context& in, const Durable& disk) {
  if (!load(in, disk)) return;
  enter(in, Role::LOOKING, Phase::election, std::nullopt, RoleReason::started);
  startElection(in);
}

void look(const Context& in, RoleReason reason) {
  const bool was_observing = in.node.role == Role::OBSERVING;
  leave(in);
  enter(in, Role::LOOKING, Phase::election, std::nullopt, reason);
  if (was_observing) {
    in.node.delayed = true;
    in.setTimerWithin(TimerKind::observer_delay, 0, in.config.observer_delay_ms);
  } else {
    startElection(in);
  }
}

void settle(const Context& in, Vote vote) {
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

void takeUp(const Context& in) {
  in.emit(RoleChanged{in.node.role, in.node.role, in.node.leader, RoleReason::placed});
  switch (in.node.role) {
    case Role::LOOKING: return in.setTimer(TimerKind::notification_wait, in.config.min_notification_ms);
    case Role::LEADING: return beginLeading(in);
    case Role::FOLLOWING:
    case Role::OBSERVING: return beginLearning(in);
  }
}

}  // namespace zablab::zab
