#include "protocol/quorum_register/coordinator.h"

#include <algorithm>
#include <utility>

namespace zablab::quorum_register {
namespace {

template <class List, class Item>
void insertInOrder(List& list, const Item& item) {
  list.insert(std::lower_bound(list.begin(), list.end(), item), item);
}

bool contains(const std::vector<ServerId>& list, ServerId id) {
  return std::find(list.begin(), list.end(), id) != list.end();
}

std::size_t readQuorum(const Context& ctx) {
  const std::int64_t homes = std::ssize(ctx.config.homes);
  return static_cast<std::size_t>(ctx.rules.read_quorum == ReadQuorum::configured
                                      ? ctx.config.read_quorum
                                      : std::max<std::int64_t>(1, homes - ctx.config.write_quorum));
}

std::size_t writeQuorum(const Context& ctx) {
  return ctx.rules.write_quorum == WriteQuorum::configured ? static_cast<std::size_t>(ctx.config.write_quorum)
                                                           : 1;
}

bool turnsToStandIns(const Context& ctx) {
  return ctx.config.hints || ctx.rules.write_targets == WriteTargets::sloppy;
}

std::vector<ServerId> heardFrom(const Coordination& doing) {
  std::vector<ServerId> servers;
  for (const Reply& reply : doing.replies) servers.push_back(reply.from);
  return servers;
}

/// The client is notified of the outcome.
void answer(const Context& ctx, Outcome outcome) {
  const Coordination& doing = *ctx.node.doing;
  ctx.cancel(TimerKind::give_up);
  if (turnsToStandIns(ctx)) ctx.cancel(TimerKind::stand_in);
  const bool compares = doing.request.operation == Operation::compare_and_set;
  ctx.emit(Answered{doing.request.operation, doing.request.number, outcome,
                    compares ? (doing.stores_new ? 1 : 0) : doing.chosen.value, doing.chosen.version,
                    doing.phase == Phase::asking ? heardFrom(doing) : doing.acked});
}

void finish(const Context& ctx, Outcome outcome) {
  answer(ctx, outcome);
  ctx.node.doing.reset();
}

void finishIfStored(const Context& ctx) {
  if (ctx.node.doing->acked.size() >= writeQuorum(ctx)) finish(ctx, Outcome::ok);
}

/// Sends the value to the homes that are not known to have it. The request's time limit keeps running.
void store(const Context& ctx) {
  Coordination& doing = *ctx.node.doing;
  doing.phase = Phase::storing;
  std::vector<ServerId> told;
  for (const ServerId home : ctx.config.homes) {
    if (!contains(doing.acked, home)) told.push_back(home);
  }
  for (const ServerId home : told) ctx.send(home, Write{doing.request.number, doing.chosen});
  if (!doing.stores_new)
    ctx.emit(Repaired{doing.request.number, doing.chosen, told, RepairWhen::before_answer});
  if (!turnsToStandIns(ctx)) return;
  const bool waits = ctx.rules.stand_in_when == StandInWhen::after_a_while;
  ctx.set(TimerKind::stand_in, waits ? ctx.config.stand_in_ms : 1);
}

void storeNew(const Context& ctx, std::int64_t counter, VersionSource source) {
  Coordination& doing = *ctx.node.doing;
  doing.stores_new = true;
  doing.chosen = {{counter, ctx.node.self, doing.request.number}, doing.request.value};
  ctx.emit(VersionChosen{doing.request.number, doing.chosen, source});
  store(ctx);
}

/// Sends the value to the replicas that reported an older version; if `late` is given, only to that one.
void repair(const Context& ctx, ServerId late) {
  const Coordination& doing = *ctx.node.doing;
  std::vector<ServerId> behind;
  for (const Reply& reply : doing.replies) {
    if ((late == no_server || reply.from == late) && reply.version < doing.chosen.version)
      behind.push_back(reply.from);
  }
  if (behind.empty()) return;
  for (const ServerId server : behind) ctx.send(server, Write{doing.request.number, doing.chosen});
  ctx.emit(Repaired{doing.request.number, doing.chosen, behind, RepairWhen::after_answer});
}

/// A read was answered. Replicas that answer later are sent what they lack, until all have answered or the
/// client gets another request.
void repairLate(const Context& ctx) {
  Coordination& doing = *ctx.node.doing;
  if (doing.replies.size() >= ctx.config.homes.size()) return ctx.node.doing.reset();
  doing.phase = Phase::repairing;
  doing.acked.clear();
}

void onLateReply(const Context& ctx, ServerId from, const Stored& has) {
  if (ctx.rules.late_replies == LateReplies::ignored) return;
  Coordination& doing = *ctx.node.doing;
  const bool ahead = has.version > doing.chosen.version;
  if (ahead) doing.chosen = has;
  repair(ctx, ahead ? no_server : from);
  repairLate(ctx);
}

void returnValue(const Context& ctx) {
  Coordination& doing = *ctx.node.doing;
  switch (ctx.rules.read_repair) {
    case ReadRepair::none: return finish(ctx, Outcome::ok);
    case ReadRepair::asynchronous:
      answer(ctx, Outcome::ok);
      repair(ctx, no_server);
      return repairLate(ctx);
    case ReadRepair::write_back:
      for (const Reply& reply : doing.replies) {
        if (reply.version == doing.chosen.version) doing.acked.push_back(reply.from);
      }
      if (doing.acked.size() < writeQuorum(ctx)) return store(ctx);
      answer(ctx, Outcome::ok);
      repair(ctx, no_server);
      return repairLate(ctx);
  }
}

void onQuorumRead(const Context& ctx) {
  Coordination& doing = *ctx.node.doing;
  ctx.emit(QuorumRead{doing.request.number, heardFrom(doing), doing.chosen});
  const bool stores =
      doing.request.operation == Operation::write ||
      (doing.request.operation == Operation::compare_and_set && doing.chosen.value == doing.request.expected);
  if (stores) return storeNew(ctx, doing.chosen.version.counter + 1, VersionSource::quorum);
  returnValue(ctx);
}

}  // namespace

void onAsked(const Context& ctx, const Request& request) {
  Node& node = ctx.node;
  if (node.doing && node.doing->phase != Phase::repairing)
    return ctx.emit(Answered{request.operation, request.number, Outcome::busy, 0, {}, {}});
  node.doing = Coordination{.request = request};
  ctx.emit(Invoked{request});
  ctx.set(TimerKind::give_up, ctx.config.request_limit_ms);
  if (request.operation == Operation::write && ctx.rules.versions == Versions::own_counter)
    return storeNew(ctx, ++node.counter, VersionSource::own_counter);
  if (request.operation == Operation::write && ctx.rules.versions == Versions::clock)
    return storeNew(ctx, request.clock, VersionSource::clock);
  for (const ServerId home : ctx.config.homes) ctx.send(home, Read{request.number});
}

void onReadReply(const Context& ctx, ServerId from, const ReadReply& reply) {
  if (!ctx.node.doing || ctx.node.doing->request.number != reply.request) return;
  Coordination& doing = *ctx.node.doing;
  const bool again = std::any_of(doing.replies.begin(), doing.replies.end(),
                                 [from](const Reply& other) { return other.from == from; });
  if (again && ctx.rules.counted == Counted::replicas) return;
  if (doing.phase == Phase::storing) {
    // For a read that writes back: a replica that already has the value counts like one that acknowledges it.
    if (doing.stores_new || reply.stored.version < doing.chosen.version || contains(doing.acked, from))
      return;
    insertInOrder(doing.acked, from);
    return finishIfStored(ctx);
  }
  insertInOrder(doing.replies, Reply{from, reply.stored.version});
  if (doing.phase == Phase::repairing) return onLateReply(ctx, from, reply.stored);
  const bool newest = doing.replies.size() == 1 || reply.stored.version > doing.chosen.version;
  if (newest || ctx.rules.read_returns == ReadReturns::last_heard) doing.chosen = reply.stored;
  if (doing.replies.size() >= readQuorum(ctx)) onQuorumRead(ctx);
}

void onWriteAck(const Context& ctx, ServerId from, const WriteAck& ack) {
  if (!ctx.node.doing || ctx.node.doing->request.number != ack.request) return;
  Coordination& doing = *ctx.node.doing;
  if (doing.phase != Phase::storing || ack.version != doing.chosen.version) return;
  if (ack.home != no_server && ctx.rules.write_targets != WriteTargets::sloppy) return;  // a hint's
  const ServerId home = ack.home == no_server ? from : ack.home;
  if (contains(doing.acked, home) && ctx.rules.counted == Counted::replicas) return;
  insertInOrder(doing.acked, home);
  finishIfStored(ctx);
}

void onStandIn(const Context& ctx) {
  if (!ctx.node.doing || ctx.node.doing->phase != Phase::storing) return;
  const Coordination& doing = *ctx.node.doing;
  auto stand_in = ctx.config.stand_ins.begin();
  for (const ServerId home : ctx.config.homes) {
    if (stand_in == ctx.config.stand_ins.end()) return;
    if (contains(doing.acked, home)) continue;
    ctx.send(*stand_in, Write{doing.request.number, doing.chosen, home});
    ctx.emit(StoodIn{doing.request.number, home, *stand_in});
    ++stand_in;
  }
}

void onGiveUp(const Context& ctx) {
  if (!ctx.node.doing || ctx.node.doing->phase == Phase::repairing) return;
  finish(ctx, ctx.node.doing->stores_new ? Outcome::unknown : Outcome::failed);
}

}  // namespace zablab::quorum_register
