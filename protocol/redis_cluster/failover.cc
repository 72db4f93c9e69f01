#include "protocol/redis_cluster/parts.h"

namespace zablab::redis_cluster {
namespace {

constexpr Millis tick_ms = 100;
constexpr Millis least_delay_ms = 500;
constexpr Millis random_delay_ms = 499;
constexpr Millis rank_delay_ms = 1000;
constexpr Millis other_master_delay_ms = 500;

/// How many replicas of the same master have more data.
std::int64_t rankOf(const Context& ctx) {
  if (ctx.rules.delay == Delay::same_for_all) return 0;
  std::int64_t rank = 0;
  for (const auto& [id, known] : ctx.node.conf.nodes) {
    if (id != ctx.node.self && known.master == ctx.master() && ctx.node.seen[id].offset > ctx.offset())
      ++rank;
  }
  return rank;
}

/// How many failed masters come before this one's in the order of their ids.
std::int64_t failedBefore(const Context& ctx) {
  if (ctx.rules.delay != Delay::by_failed_masters_too) return 0;
  const auto masters = ctx.electorate();
  return std::count_if(masters.begin(), masters.end(),
                       [&](ServerId id) { return id < ctx.master() && ctx.isFailed(id); });
}

bool mayReplace(const Context& ctx) {
  return !ctx.isMaster() && ctx.hasSlots(ctx.master()) &&
         (ctx.node.attempt.force || ctx.isFailed(ctx.master()));
}

void tryLater(const Context& ctx) {
  ctx.node.attempt.stage = Stage::expired;
  ctx.set(TimerKind::auth_retry, ctx.config.authRetry());
}

void schedule(const Context& ctx) {
  Attempt& attempt = ctx.node.attempt;
  attempt.stage = Stage::waiting;
  attempt.acks.clear();
  attempt.rank = attempt.waited = attempt.force ? 0 : rankOf(ctx);
  ctx.emit(Scheduled{attempt.rank, ctx.offset()});
  // The other replicas of the master learn this one's offset.
  announce(ctx);
  if (attempt.force) return ctx.set(TimerKind::election, 0);
  const Millis least =
      least_delay_ms + attempt.rank * rank_delay_ms + failedBefore(ctx) * other_master_delay_ms;
  ctx.setWithin(TimerKind::election, least, least + random_delay_ms);
}

void askForVotes(const Context& ctx) {
  Attempt& attempt = ctx.node.attempt;
  attempt.stage = Stage::asked;
  attempt.epoch = ++ctx.node.conf.current_epoch;
  ctx.save();
  ctx.emit(Asked{attempt.epoch});
  ctx.broadcast(AuthRequest{ctx.header(), attempt.force});
  ctx.set(TimerKind::auth_timeout, ctx.config.authTimeout());
  ctx.set(TimerKind::auth_retry, ctx.config.authRetry());
}

void promote(const Context& ctx, PromotedBy by, std::int64_t epoch) {
  Node& node = ctx.node;
  const ServerId old_master = ctx.master();
  const std::vector<ServerId> voters = node.attempt.acks;
  endAttempt(ctx);
  endManual(ctx);
  ctx.out.push_back(V::Disconnect{replication_link, old_master});
  ctx.cancel(TimerKind::relink);
  node.linked = node.synced = false;
  ctx.own() = {no_server, epoch};
  for (const Slot slot : ctx.slotsOf(old_master)) node.conf.slots[slot] = node.self;
  ctx.save();
  ctx.emit(Promoted{by, epoch, old_master, voters});
  ctx.tellRole();
  ctx.set(TimerKind::repl_ping, ctx.config.repl_ping_ms);
  announce(ctx);
}

}  // namespace

std::optional<Millis> tooOldFrom(const Config& config, const Rules& rules) {
  if (config.validity_factor == 0 && rules.factor_zero == FactorZero::always_eligible) return std::nullopt;
  // The age is in whole seconds, and reduced by the time-out that the failure took to be noticed.
  const Millis limit = config.repl_ping_ms + config.node_timeout_ms * config.validity_factor;
  return (limit + config.node_timeout_ms) / 1000 * 1000 + 1000;
}

void considerFailover(const Context& ctx) {
  Attempt& attempt = ctx.node.attempt;
  if (attempt.stage != Stage::none || !mayReplace(ctx)) return;
  if (attempt.force) {
    attempt.stage = Stage::checking;
    return ctx.askAge();
  }
  attempt.stage = Stage::noticed;
  ctx.setWithin(TimerKind::election, 1, tick_ms);
}

void onAge(const Context& ctx, std::optional<Millis> age) {
  Attempt& attempt = ctx.node.attempt;
  const Stage stage = attempt.stage;
  if (stage != Stage::checking && stage != Stage::rechecking) return;
  if (!mayReplace(ctx)) return tryLater(ctx);
  const auto limit = tooOldFrom(ctx.config, ctx.rules);
  if (!ctx.node.synced && ctx.rules.data_age != DataAge::from_start) age.reset();  // older than any limit
  const bool old = limit && (!age || *age >= *limit);
  if (!attempt.force && old && ctx.rules.old_data == OldData::not_eligible) {
    if (!attempt.too_old) ctx.emit(TooOld{age.value_or(0), *limit});
    attempt.too_old = true;
    attempt.stage = Stage::noticed;
    return ctx.set(TimerKind::election, tick_ms);
  }
  stage == Stage::checking ? schedule(ctx) : askForVotes(ctx);
}

void onElectionTimer(const Context& ctx) {
  Attempt& attempt = ctx.node.attempt;
  if (attempt.stage == Stage::noticed) {
    if (!mayReplace(ctx)) return endAttempt(ctx);
    attempt.stage = Stage::checking;
    return ctx.askAge();
  }
  if (attempt.stage != Stage::waiting) return;
  if (!mayReplace(ctx)) return tryLater(ctx);
  if (!attempt.force) attempt.rank = std::max(attempt.rank, rankOf(ctx));
  if (attempt.rank > attempt.waited) {
    ctx.emit(RankRose{attempt.rank});
    ctx.set(TimerKind::election, (attempt.rank - attempt.waited) * rank_delay_ms);
    attempt.waited = attempt.rank;
    return;
  }
  attempt.stage = Stage::rechecking;
  ctx.askAge();
}

void onAuthTimeout(const Context& ctx) {
  Attempt& attempt = ctx.node.attempt;
  if (attempt.stage != Stage::asked) return;
  attempt.stage = Stage::expired;
  attempt.force = false;
  ctx.emit(Expired{attempt.epoch});
}

void onAuthRetry(const Context& ctx) {
  // What follows from the view of the cluster is considered at the end of the step.
  endAttempt(ctx);
}

void onAuthAck(const Context& ctx, ServerId from, const AuthAck& ack) {
  Attempt& attempt = ctx.node.attempt;
  if (attempt.epoch == 0 || !ctx.isMaster(from) || !ctx.hasSlots(from) ||
      ack.header.current_epoch < attempt.epoch)
    return;
  const bool late = attempt.stage == Stage::expired;
  if (attempt.stage != Stage::asked && !late) return;
  if (ctx.rules.counted == Counted::messages || !contains(attempt.acks, from))
    insertInOrder(attempt.acks, from);
  const bool counts = !late || ctx.rules.late_ack == LateAck::counted;
  ctx.emit(VoteCounted{from, attempt.epoch, attempt.acks, static_cast<std::int64_t>(ctx.quorum()), !counts});
  if (counts && (attempt.force || mayReplace(ctx)) && attempt.acks.size() >= ctx.quorum())
    promote(ctx, PromotedBy::election, attempt.epoch);
}

void onCommanded(const Context& ctx, const Request& request) {
  if (ctx.isMaster()) return;
  const bool at_once = request.operation == Operation::takeover && ctx.rules.takeover == Takeover::at_once;
  if (request.operation == Operation::failover) return beginManual(ctx);
  endAttempt(ctx);
  endManual(ctx);
  if (at_once) return promote(ctx, PromotedBy::takeover, ++ctx.node.conf.current_epoch);
  ctx.node.attempt.force = true;
}

void endAttempt(const Context& ctx) {
  ctx.node.attempt = {};
  ctx.cancel(TimerKind::election);
  ctx.cancel(TimerKind::auth_timeout);
  ctx.cancel(TimerKind::auth_retry);
}

}  // namespace zablab::redis_cluster
