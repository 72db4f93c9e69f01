#include "protocol/sentinel/monitoring.h"

#include <vector>

#include "protocol/sentinel/failover.h"

namespace zablab::sentinel {
namespace {

/// Redis' limits that are multiples of its intervals.
constexpr int pings_available = 5;        ///< without a PONG for as long, a replica is not promoted
constexpr int hellos_before_convert = 4;  ///< for a new configuration to arrive first
constexpr int downs_detached = 10;

Millis downAfter(const Context& ctx) {
  return ctx.rules.down_after == DownAfter::half ? ctx.config.down_after_ms / 2 : ctx.config.down_after_ms;
}

/// Begins to watch an instance, or begins again.
void watch(const Context& ctx, ServerId id) {
  Sentinel& sentinel = ctx.sentinel();
  Instance fresh;
  fresh.connected = sentinel.instances[id].connected;
  fresh.pinged = true;  // until the first PONG, it counts as not answering
  ctx.cancelTimer(TimerKind::ping, id);
  ctx.cancelTimer(TimerKind::reconnect, id);
  ctx.setTimer(TimerKind::down, downAfter(ctx), id);
  ctx.setTimer(TimerKind::hello, ctx.config.hello_ms, id);
  if (ctx.config.isRedis(id)) {
    for (const TimerKind kind : {TimerKind::info, TimerKind::info_soon, TimerKind::info_old,
                                 TimerKind::report, TimerKind::detached, TimerKind::reconf})
      ctx.cancelTimer(kind, id);
    fresh.role = id == sentinel.master ? RedisRole::master : RedisRole::replica;
    fresh.info_due = fresh.info_soon_due = true;
    fresh.available = true;
    ctx.setTimer(TimerKind::available, pings_available * ctx.config.ping_ms, id);
  } else {
    ctx.cancelTimer(TimerKind::answer, id);
    ctx.setTimer(TimerKind::ask, ctx.config.ask_ms, id);
  }
  sentinel.instances[id] = fresh;
  if (fresh.connected) ctx.send(sentinel_link, id, Ping{});
}

void ping(const Context& ctx, ServerId id) {
  Instance& instance = ctx.sentinel().instances.at(id);
  instance.ping_due = false;
  if (!instance.pinged) ctx.setTimer(TimerKind::down, downAfter(ctx), id);
  instance.pinged = true;
  if (instance.connected) ctx.send(sentinel_link, id, Ping{});
}

/// During a failover, and of a replica without its master, INFO is asked for more often.
bool isInfoDue(const Context& ctx, ServerId id, const Instance& instance) {
  if (instance.info_sent) return false;
  const Sentinel& sentinel = ctx.sentinel();
  const bool lost = instance.master && instance.role == RedisRole::replica && !instance.link_up;
  const bool soon =
      id != sentinel.master && (sentinel.odown || sentinel.state != FailoverState::NONE || lost);
  return soon ? instance.info_soon_due : instance.info_due;
}

/// The address that this sentinel publishes: during a failover already the new one.
ServerId presentMaster(const Sentinel& sentinel) {
  return sentinel.state == FailoverState::RECONF_REPLICAS ? *sentinel.promoted : sentinel.master;
}

/// It reports something else than before: for how long until that is acted upon.
void beginReport(const Context& ctx, ServerId id) {
  const Sentinel& sentinel = ctx.sentinel();
  Instance& instance = ctx.sentinel().instances.at(id);
  instance.settled = false;
  Millis wait = 0;
  if (id == sentinel.master) {
    if (instance.role == RedisRole::replica) wait = ctx.config.down_after_ms + 2 * ctx.config.info_ms;
  } else if (instance.role == RedisRole::master) {
    wait = hellos_before_convert * ctx.config.hello_ms;
  } else if (instance.master && instance.master != sentinel.master) {
    wait = ctx.config.failover_timeout_ms;
  }
  wait > 0 ? ctx.setTimer(TimerKind::report, wait, id) : ctx.cancelTimer(TimerKind::report, id);
}

/// For how long a replica is without its master counts only until the master is down.
void noteLink(const Context& ctx, ServerId id, bool was_up) {
  const Sentinel& sentinel = ctx.sentinel();
  Instance& instance = ctx.sentinel().instances.at(id);
  if (id == sentinel.master) return;
  if (instance.link_up || instance.role == RedisRole::master) {
    instance.detached = false;
    ctx.cancelTimer(TimerKind::detached, id);
  } else if (was_up && !sentinel.instances.at(sentinel.master).down) {
    ctx.setTimer(TimerKind::detached, downs_detached * ctx.config.down_after_ms, id);
  }
}

}  // namespace

void startSentinel(const Context& ctx, const Durable& disk) {
  ctx.node = Family::loaded(ctx.config, ctx.rules, ctx.node.self, disk);
  for (const ServerId id : ctx.config.redis) watch(ctx, id);
  for (const ServerId id : ctx.sentinel().known) {
    if (id != ctx.node.self) watch(ctx, id);
  }
  setTick(ctx);
}

void takeUpSentinel(const Context& ctx) {
  for (const ServerId id : ctx.config.redis) {
    if (!ctx.sentinel().instances.contains(id)) watch(ctx, id);
  }
  for (const auto& [id, instance] : ctx.sentinel().instances) {
    ctx.setTimer(TimerKind::hello, ctx.config.hello_ms, id);
    if (instance.pinged && !instance.overdue)
      ctx.setTimer(TimerKind::down, downAfter(ctx), id);
    else if (!instance.pinged)
      ctx.setTimer(TimerKind::ping, ctx.config.pingMs(), id);
    if (ctx.config.isSentinel(id)) ctx.setTimer(TimerKind::ask, ctx.config.ask_ms, id);
    if (ctx.config.isRedis(id) && !instance.info_sent) {
      ctx.setTimer(TimerKind::info, ctx.config.info_ms, id);
      ctx.setTimer(TimerKind::info_soon, ctx.config.info_in_failover_ms, id);
    }
  }
  setTick(ctx);
}

void setTick(const Context& ctx) {
  const Millis least = ctx.rules.desync == Desync::none ? ctx.config.tick_max_ms : ctx.config.tick_min_ms;
  ctx.setTimer(TimerKind::tick, least, ctx.config.tick_max_ms, no_server);
}

void sendPeriodic(const Context& ctx, ServerId id) {
  Sentinel& sentinel = ctx.sentinel();
  Instance& instance = sentinel.instances.at(id);
  if (!instance.connected) {
    if (instance.dialled) return;
    instance.dialled = true;
    ctx.setTimer(TimerKind::reconnect, ctx.config.ping_ms, id);
    ping(ctx, id);
    return ctx.connect(sentinel_link, id);
  }
  if (ctx.config.isRedis(id) && isInfoDue(ctx, id, instance)) {
    instance.info_sent = true;
    ctx.send(sentinel_link, id, Info{});
  }
  if (instance.ping_due && !instance.pinged) ping(ctx, id);
  if (instance.hello_due) {
    instance.hello_due = false;
    ctx.setTimer(TimerKind::hello, ctx.config.hello_ms, id);
    ctx.send(hello_link, id,
             Hello{ctx.node.self, sentinel.current_epoch, sentinel.config_epoch, presentMaster(sentinel)});
  }
}

void checkSubjectivelyDown(const Context& ctx, ServerId id) {
  const Sentinel& sentinel = ctx.sentinel();
  Instance& instance = ctx.sentinel().instances.at(id);
  const bool master = id == sentinel.master;
  const bool down = instance.overdue || (master && instance.role == RedisRole::replica && instance.settled);
  if (down == instance.down) return;
  instance.down = down;
  ctx.emit(SubjectivelyDown{id, down, master});
  if (!down || !ctx.config.isRedis(id)) return;
  if (!master) return beginReport(ctx, id);
  for (const ServerId replica : ctx.config.redis) ctx.cancelTimer(TimerKind::detached, replica);
}

void checkObjectivelyDown(const Context& ctx) {
  Sentinel& sentinel = ctx.sentinel();
  std::vector<ServerId> by;
  if (sentinel.instances.at(sentinel.master).down) {
    for (const ServerId id : sentinel.known) {
      if (id == ctx.node.self || sentinel.instances.at(id).sees_down) by.push_back(id);
    }
  }
  const bool down = std::ssize(by) >= ctx.config.quorum;
  if (down == sentinel.odown) return;
  sentinel.odown = down;
  ctx.emit(ObjectivelyDown{down, std::move(by)});
}

void sendHelloSoon(const Context& ctx) {
  for (auto& [id, instance] : ctx.sentinel().instances) instance.hello_due = true;
}

void switchTo(const Context& ctx, ServerId master) {
  Sentinel& sentinel = ctx.sentinel();
  // It connects anew to all Redis servers: what it would still send them in this step is lost.
  std::erase_if(ctx.out, [&](const auto& effect) {
    const auto* send = get_if<V::Send>(&effect);
    return send != nullptr && ctx.config.isRedis(send->to) && send->link != client_link;
  });
  sentinel.master = master;
  sentinel.odown = false;
  sentinel.state = FailoverState::NONE;
  sentinel.failover_epoch = 0;
  sentinel.votes.clear();
  sentinel.promoted.reset();
  sentinel.vote.leader.reset();
  sentinel.waits = sentinel.waits_told = sentinel.out_of_time = false;
  for (const TimerKind kind : {TimerKind::gate, TimerKind::election, TimerKind::failover})
    ctx.cancelTimer(kind);
  for (const ServerId id : ctx.config.redis) watch(ctx, id);
  if (ctx.rules.old_reports == OldReports::kept) return;
  for (const ServerId id : sentinel.known) {
    if (id != ctx.node.self) sentinel.instances.at(id).sees_down = false;
  }
}

void onInstanceConnected(const Context& ctx, ServerId id) {
  if (!ctx.sentinel().instances.contains(id)) return;
  Instance& instance = ctx.sentinel().instances.at(id);
  instance.connected = true;
  instance.info_sent = instance.ask_sent = false;
  if (instance.pinged) ctx.send(sentinel_link, id, Ping{});
}

void onInstanceGone(const Context& ctx, ServerId id) {
  if (!ctx.sentinel().instances.contains(id)) return;
  Instance& instance = ctx.sentinel().instances.at(id);
  instance.connected = instance.info_sent = instance.ask_sent = false;
}

void onAnyMessage(const Context& ctx, ServerId id) {
  const auto at = ctx.sentinel().instances.find(id);
  if (at != ctx.sentinel().instances.end() && !at->second.connected) onInstanceConnected(ctx, id);
}

void onPong(const Context& ctx, ServerId id) {
  Instance& instance = ctx.sentinel().instances.at(id);
  instance.pinged = instance.overdue = false;
  ctx.cancelTimer(TimerKind::down, id);
  ctx.setTimer(TimerKind::ping, ctx.config.pingMs(), id);
  if (!ctx.config.isRedis(id)) return;
  instance.available = true;
  ctx.setTimer(TimerKind::available, pings_available * ctx.config.ping_ms, id);
}

void onInfoReply(const Context& ctx, ServerId id, const InfoReply& reply) {
  const Sentinel& sentinel = ctx.sentinel();
  Instance& instance = ctx.sentinel().instances.at(id);
  const bool was_up = instance.link_up || !instance.master;
  const bool changed = instance.role != reply.role || instance.master != reply.master;
  if (instance.role != reply.role) {
    const bool expected = (reply.role == RedisRole::master) == (id == sentinel.master);
    ctx.emit(RoleReported{id, reply.role, expected});
  }
  instance.role = reply.role;
  instance.master = reply.master;
  instance.link_up = reply.link_up;
  instance.offset = reply.offset;
  instance.priority = reply.priority;
  instance.info_sent = instance.info_due = instance.info_soon_due = false;
  instance.info_valid = true;
  ctx.setTimer(TimerKind::info, ctx.config.info_ms, id);
  ctx.setTimer(TimerKind::info_soon, ctx.config.info_in_failover_ms, id);
  ctx.setTimer(TimerKind::info_old, pings_available * ctx.config.ping_ms, id);
  if (changed) beginReport(ctx, id);
  noteLink(ctx, id, was_up);
  if (!sentinel.tilt && id != sentinel.master) onReplicaReport(ctx, id, reply);
}

void onHello(const Context& ctx, const Hello& hello) {
  Sentinel& sentinel = ctx.sentinel();
  if (hello.sentinel == ctx.node.self || !ctx.config.isRedis(hello.master)) return;
  if (sentinel.known.insert(hello.sentinel).second) {
    ctx.write(SaveKnown{hello.sentinel});
    ctx.emit(SentinelFound{hello.sentinel});
    watch(ctx, hello.sentinel);
  }
  if (hello.current_epoch > sentinel.current_epoch) {
    sentinel.current_epoch = hello.current_epoch;
    if (ctx.rules.heard_epoch == HeardEpoch::saved) ctx.write(SaveEpoch{hello.current_epoch});
    ctx.emit(NewEpoch{hello.current_epoch});
  }
  const bool accepted = ctx.rules.config_accepted == ConfigAccepted::any
                            ? hello.master != presentMaster(sentinel)
                            : hello.config_epoch > sentinel.config_epoch;
  if (!accepted) return;
  sentinel.config_epoch = hello.config_epoch;
  const bool gives_up = ctx.rules.overtaken == Overtaken::gives_up && sentinel.state != FailoverState::NONE;
  if (hello.master == sentinel.master && !gives_up) {
    ctx.write(SaveConfig{hello.config_epoch, presentMaster(sentinel)});
    return;
  }
  ctx.write(SaveConfig{hello.config_epoch, hello.master});
  ctx.emit(ConfigUpdated{hello.sentinel, hello.config_epoch, hello.master});
  ctx.emit(SwitchMaster{sentinel.master, hello.master, hello.config_epoch});
  switchTo(ctx, hello.master);
}

void onInstanceTimer(const Context& ctx, TimerKind kind, ServerId id) {
  Instance& instance = ctx.sentinel().instances.at(id);
  switch (kind) {
    case TimerKind::ping: instance.ping_due = true; return;
    case TimerKind::down: instance.overdue = true; return;
    case TimerKind::reconnect: instance.dialled = false; return;
    case TimerKind::info: instance.info_due = true; return;
    case TimerKind::info_soon: instance.info_soon_due = true; return;
    case TimerKind::info_old: instance.info_valid = false; return;
    case TimerKind::available: instance.available = false; return;
    case TimerKind::hello: instance.hello_due = true; return;
    case TimerKind::report: instance.settled = true; return;
    case TimerKind::detached: instance.detached = true; return;
    case TimerKind::ask: instance.ask_due = true; return;
    case TimerKind::answer:
      instance.sees_down = false;
      instance.vote.leader.reset();
      return;
    case TimerKind::reconf:
      if (instance.reconf != Reconf::sent) return;
      // The failover is not held up; whether it obeys is seen later.
      instance.reconf = Reconf::done;
      ctx.emit(ReplicaReconf{id, Reconf::done, true});
      return;
    default: return;
  }
}

}  // namespace zablab::sentinel
