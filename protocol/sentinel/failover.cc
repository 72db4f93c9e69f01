#include "protocol/sentinel/failover.h"

#include <algorithm>
#include <tuple>

#include "protocol/sentinel/election.h"
#include "protocol/sentinel/monitoring.h"

namespace zablab::sentinel {
namespace {

void enter(const Context& ctx, FailoverState state) {
  Sentinel& sentinel = ctx.sentinel();
  sentinel.state = state;
  sentinel.votes.clear();
  sentinel.out_of_time = false;
  ctx.cancelTimer(TimerKind::election);
  ctx.setTimer(TimerKind::failover, ctx.config.failover_timeout_ms);
  ctx.emit(FailoverStateChanged{state});
}

void abort(const Context& ctx, AbortReason reason) {
  Sentinel& sentinel = ctx.sentinel();
  ctx.emit(FailoverAborted{sentinel.failover_epoch, reason});
  sentinel.state = FailoverState::NONE;
  sentinel.failover_epoch = 0;
  sentinel.votes.clear();
  sentinel.promoted.reset();
  sentinel.out_of_time = false;
  ctx.cancelTimer(TimerKind::election);
  ctx.cancelTimer(TimerKind::failover);
}

void waitStart(const Context& ctx) {
  Sentinel& sentinel = ctx.sentinel();
  const bool epoch_is_over =
      ctx.rules.votes_of == VotesOf::own_attempt && sentinel.current_epoch != sentinel.failover_epoch;
  const bool counts = !epoch_is_over || ctx.rules.votes_kept == VotesKept::of_the_attempt;
  if (counts && isElected(ctx)) return enter(ctx, FailoverState::SELECT_REPLICA);
  if (epoch_is_over) return abort(ctx, AbortReason::epoch_is_over);
  if (sentinel.out_of_time) abort(ctx, AbortReason::not_elected);
}

void selectReplica(const Context& ctx) {
  Sentinel& sentinel = ctx.sentinel();
  std::vector<Candidate> among = replicasToPromote(ctx);
  if (among.empty()) return abort(ctx, AbortReason::no_good_replica);
  sentinel.promoted = among.front().id;
  ctx.emit(ReplicaSelected{among.front().id, std::move(among)});
  enter(ctx, FailoverState::SEND_REPLICAOF);
}

void sendReplicaOf(const Context& ctx) {
  Sentinel& sentinel = ctx.sentinel();
  if (!sentinel.instances.at(*sentinel.promoted).connected) {
    if (sentinel.out_of_time) abort(ctx, AbortReason::replica_timeout);
    return;
  }
  ctx.send(sentinel_link, *sentinel.promoted, ReplicaOf{});
  enter(ctx, FailoverState::WAIT_PROMOTION);
}

/// The new configuration exists from here on.
void onPromoted(const Context& ctx) {
  Sentinel& sentinel = ctx.sentinel();
  sentinel.config_epoch = sentinel.failover_epoch;
  ctx.write(SaveConfig{sentinel.config_epoch, *sentinel.promoted});
  ctx.emit(Promoted{*sentinel.promoted, sentinel.config_epoch});
  enter(ctx, FailoverState::RECONF_REPLICAS);
  sendHelloSoon(ctx);
}

void waitPromotion(const Context& ctx) {
  if (ctx.rules.promotion == Promotion::assumed) return onPromoted(ctx);
  if (ctx.sentinel().out_of_time) abort(ctx, AbortReason::replica_timeout);
}

/// Calls `visit(id, instance)` for each replica that is to follow the promoted one.
template <class Visit>
void forOtherReplicas(const Context& ctx, Visit&& visit) {
  Sentinel& sentinel = ctx.sentinel();
  for (const ServerId id : ctx.config.redis) {
    if (id != sentinel.master && id != sentinel.promoted) visit(id, sentinel.instances.at(id));
  }
}

void tell(const Context& ctx, ServerId id, Instance& replica) {
  const Sentinel& sentinel = ctx.sentinel();
  replica.reconf = Reconf::sent;
  const bool old = ctx.rules.reconf_target == ReconfTarget::old_master;
  ctx.send(sentinel_link, id, ReplicaOf{old ? std::optional(sentinel.master) : sentinel.promoted});
  ctx.setTimer(TimerKind::reconf, ctx.config.reconf_timeout_ms, id);
  ctx.emit(ReplicaReconf{id, Reconf::sent});
}

/// True when the failover is over.
bool reconfReplicas(const Context& ctx) {
  Sentinel& sentinel = ctx.sentinel();
  std::int64_t in_progress = 0;
  forOtherReplicas(ctx, [&](ServerId, const Instance& replica) {
    in_progress += replica.reconf == Reconf::sent || replica.reconf == Reconf::in_progress;
  });
  forOtherReplicas(ctx, [&](ServerId id, Instance& replica) {
    if (in_progress >= ctx.config.parallel_syncs || replica.reconf != Reconf::none || !replica.connected)
      return;
    tell(ctx, id, replica);
    ++in_progress;
  });
  if (sentinel.instances.at(*sentinel.promoted).down) return false;
  bool all_done = true;
  forOtherReplicas(ctx, [&](ServerId, const Instance& replica) {
    if (replica.reconf != Reconf::done && !replica.down) all_done = false;
  });
  if (!all_done && !sentinel.out_of_time) return false;
  ctx.emit(FailoverEnded{!all_done});
  forOtherReplicas(ctx, [&](ServerId id, Instance& replica) {
    if (!all_done && replica.reconf == Reconf::none && replica.connected) tell(ctx, id, replica);
  });
  return true;
}

/// One step of the failover. True when it is over.
bool advance(const Context& ctx) {
  switch (ctx.sentinel().state) {
    case FailoverState::NONE: return false;
    case FailoverState::WAIT_START: waitStart(ctx); return false;
    case FailoverState::SELECT_REPLICA: selectReplica(ctx); return false;
    case FailoverState::SEND_REPLICAOF: sendReplicaOf(ctx); return false;
    case FailoverState::WAIT_PROMOTION: waitPromotion(ctx); return false;
    case FailoverState::RECONF_REPLICAS: return reconfReplicas(ctx);
  }
  return false;
}

/// First the master, then its replicas, then the other sentinels.
void lookAtEverything(const Context& ctx) {
  Sentinel& sentinel = ctx.sentinel();
  const ServerId master = sentinel.master;
  bool over = false;
  sendPeriodic(ctx, master);
  if (!sentinel.tilt) {
    checkSubjectivelyDown(ctx, master);
    checkObjectivelyDown(ctx);
    if (startFailoverIfNeeded(ctx)) askOthers(ctx, true);
    over = advance(ctx);
    askOthers(ctx, false);
  }
  const auto look = [&](ServerId id) {
    sendPeriodic(ctx, id);
    if (!sentinel.tilt) checkSubjectivelyDown(ctx, id);
  };
  for (const ServerId id : ctx.config.redis) {
    if (id != master) look(id);
  }
  for (const ServerId id : sentinel.known) {
    if (id != ctx.node.self) look(id);
  }
  if (over) {
    const ServerId promoted = *sentinel.promoted;
    ctx.emit(SwitchMaster{master, promoted, sentinel.config_epoch});
    ctx.write(SaveConfig{sentinel.config_epoch, promoted});
    switchTo(ctx, promoted);
  }
  setTick(ctx);
}

/// Whether the master can be relied upon when another server disagrees with it.
bool isMasterSane(const Sentinel& sentinel) {
  const Instance& master = sentinel.instances.at(sentinel.master);
  return master.master && master.role == RedisRole::master && !master.down && !sentinel.odown;
}

void correct(const Context& ctx, ServerId id, Correction correction) {
  const ServerId master = ctx.sentinel().master;
  ctx.send(sentinel_link, id, ReplicaOf{master});
  ctx.emit(Corrected{id, correction, master});
}

void followReconf(const Context& ctx, ServerId id, const InfoReply& reply) {
  const Sentinel& sentinel = ctx.sentinel();
  Instance& replica = ctx.sentinel().instances.at(id);
  if (replica.reconf == Reconf::sent && reply.master == sentinel.promoted) {
    replica.reconf = Reconf::in_progress;
    ctx.cancelTimer(TimerKind::reconf, id);
    ctx.emit(ReplicaReconf{id, Reconf::in_progress});
  }
  if (replica.reconf == Reconf::in_progress && reply.link_up) {
    replica.reconf = Reconf::done;
    ctx.emit(ReplicaReconf{id, Reconf::done});
  }
}

}  // namespace

void onTick(const Context& ctx) {
  if (ctx.config.tilt_trigger_ms == 0) return lookAtEverything(ctx);
  ctx.out.push_back(V::AskAge{MarkKey::tick});
  ctx.out.push_back(V::Mark{MarkKey::tick});
}

void onTickGap(const Context& ctx, std::optional<Millis> gap_ms) {
  if (gap_ms && *gap_ms > ctx.config.tilt_trigger_ms) {
    ctx.sentinel().tilt = true;
    ctx.setTimer(TimerKind::tilt, ctx.config.tilt_ms);
    ctx.emit(TiltChanged{true});
  }
  lookAtEverything(ctx);
}

std::vector<Candidate> replicasToPromote(const Context& ctx) {
  const Sentinel& sentinel = ctx.sentinel();
  std::vector<Candidate> among;
  for (const ServerId id : ctx.config.redis) {
    const Instance& replica = sentinel.instances.at(id);
    if (id == sentinel.master || replica.priority == 0) continue;
    const bool answers = !replica.down && replica.connected && replica.available && replica.info_valid;
    if ((!answers && ctx.rules.candidates == Candidates::answering) || replica.detached) continue;
    among.push_back({id, replica.priority, replica.offset});
  }
  std::sort(among.begin(), among.end(), [&](const Candidate& a, const Candidate& b) {
    if (ctx.rules.replica_choice == ReplicaChoice::lowest_id) return a.id < b.id;
    return std::tuple(a.priority, -a.offset, a.id) < std::tuple(b.priority, -b.offset, b.id);
  });
  return among;
}

void onReplicaReport(const Context& ctx, ServerId id, const InfoReply& reply) {
  const Sentinel& sentinel = ctx.sentinel();
  const Instance& replica = sentinel.instances.at(id);
  const bool acts = ctx.rules.who_disagrees == WhoDisagrees::corrected && replica.settled && !replica.down &&
                    isMasterSane(sentinel);
  if (reply.role == RedisRole::master) {
    if (id == sentinel.promoted) {
      if (sentinel.state == FailoverState::WAIT_PROMOTION) onPromoted(ctx);
    } else if (acts) {
      correct(ctx, id, Correction::convert_to_replica);
    }
    return;
  }
  if (reply.master != sentinel.master && acts) correct(ctx, id, Correction::fix_master);
  followReconf(ctx, id, reply);
}

void onFailoverTimer(const Context& ctx, TimerKind kind) {
  Sentinel& sentinel = ctx.sentinel();
  switch (kind) {
    case TimerKind::gate: sentinel.waits = false; return;
    case TimerKind::election:
    case TimerKind::failover: sentinel.out_of_time = true; return;
    case TimerKind::tilt:
      sentinel.tilt = false;
      ctx.emit(TiltChanged{false});
      return;
    default: return;
  }
}

}  // namespace zablab::sentinel
