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

std::size_t readQuorum(const Context& in) {
  const std::int64_t homes = std::ssize(in.config.homes);
  return static_cast<std::size_t>(in.rules.read_quorum == ReadQuorum::configured
                                      ? in.config.read_quorum
                                      : std::max<std::int64_t>(1, homes - in.config.write_quorum));
}

std::size_t writeQuorum(const Context& in) {
  return in.rules.write_quorum == WriteQuorum::configured ? static_cast<std::size_t>(in.config.write_quorum)
                                                          : 1;
}

std::vector<ServerId> heardFrom(const Coordination& doing) {
  std::vector<ServerId> servers;
  for (const Reply& reply : doing.replies) servers.push_back(reply.from);
  return servers;
}

/// The client is told what came of it.
void answer(const Context& in, Outcome outcome) {
  const Coordination& doing = *in.node.doing;
  in.cancel(TimerKind::give_up);
  if (in.rules.write_targets == WriteTargets::sloppy) in.cancel(TimerKind::stand_in);
  const bool compares = doing.request.operation == Operation::compare_and_set;
  in.emit(Answered{doing.request.operation, doing.request.number, outcome,
                   compares ? (doing.stores_new ? 1 : 0) : doing.chosen.value, doing.chosen.version,
                   doing.phase == Phase::asking ? heardFrom(doing) : doing.acked});
}

void finish(const Context& in, Outcome outcome) {
  answer(in, outcome);
  in.node.doing.reset();
}

void finishIfStored(const Context& in) {
  if (in.node.doing->acked.size() >= writeQuorum(in)) finish(in, Outcome::ok);
}

/// Tells the homes that are not known to have it. The limit of the request goes on.
void store(const Context& in) {
  Coordination& doing = *in.node.doing;
  doing.phase = Phase::storing;
  std::vector<ServerId> told;
  for (const ServerId home : in.config.homes) {
    if (!contains(doing.acked, home)) told.push_back(home);
  }
  for (const ServerId home : told) in.send(home, Write{doing.request.number, doing.chosen});
  if (!doing.stores_new)
    in.emit(Repaired{doing.request.number, doing.chosen, told, RepairWhen::before_answer});
  if (in.rules.write_targets == WriteTargets::sloppy) in.set(TimerKind::stand_in, in.config.stand_in_ms);
}

void storeNew(const Context& in, std::int64_t counter, VersionSource source) {
  Coordination& doing = *in.node.doing;
  doing.stores_new = true;
  doing.chosen = {{counter, in.node.self, doing.request.number}, doing.request.value};
  in.emit(VersionChosen{doing.request.number, doing.chosen, source});
  store(in);
}

/// Tells those that were heard to be behind; of them only `late`, unless there is none.
void repair(const Context& in, ServerId late) {
  const Coordination& doing = *in.node.doing;
  std::vector<ServerId> behind;
  for (const Reply& reply : doing.replies) {
    if ((late == no_server || reply.from == late) && reply.version < doing.chosen.version)
      behind.push_back(reply.from);
  }
  if (behind.empty()) return;
  for (const ServerId server : behind) in.send(server, Write{doing.request.number, doing.chosen});
  in.emit(Repaired{doing.request.number, doing.chosen, behind, RepairWhen::after_answer});
}

/// A read was answered. Replicas whose answer comes later are told what they lack, until all have answered or
/// the client is asked for something else.
void repairLate(const Context& in) {
  Coordination& doing = *in.node.doing;
  if (doing.replies.size() >= in.config.homes.size()) return in.node.doing.reset();
  doing.phase = Phase::repairing;
  doing.acked.clear();
}

void onLateReply(const Context& in, ServerId from, const Stored& has) {
  Coordination& doing = *in.node.doing;
  const bool ahead = has.version > doing.chosen.version;
  if (ahead) doing.chosen = has;
  repair(in, ahead ? no_server : from);
  repairLate(in);
}

void returnValue(const Context& in) {
  Coordination& doing = *in.node.doing;
  switch (in.rules.read_repair) {
    case ReadRepair::none: return finish(in, Outcome::ok);
    case ReadRepair::asynchronous:
      answer(in, Outcome::ok);
      repair(in, no_server);
      return repairLate(in);
    case ReadRepair::write_back:
      for (const Reply& reply : doing.replies) {
        if (reply.version == doing.chosen.version) doing.acked.push_back(reply.from);
      }
      if (doing.acked.size() < writeQuorum(in)) return store(in);
      answer(in, Outcome::ok);
      repair(in, no_server);
      return repairLate(in);
  }
}

void onQuorumRead(const Context& in) {
  Coordination& doing = *in.node.doing;
  in.emit(QuorumRead{doing.request.number, heardFrom(doing), doing.chosen});
  const bool stores =
      doing.request.operation == Operation::write ||
      (doing.request.operation == Operation::compare_and_set && doing.chosen.value == doing.request.expected);
  if (stores) return storeNew(in, doing.chosen.version.counter + 1, VersionSource::quorum);
  returnValue(in);
}

}  // namespace

void onAsked(const Context& in, const Request& request) {
  Node& node = in.node;
  if (node.doing && node.doing->phase != Phase::repairing)
    return in.emit(Answered{request.operation, request.number, Outcome::busy, 0, {}, {}});
  node.doing = Coordination{.request = request};
  in.emit(Invoked{request});
  in.set(TimerKind::give_up, in.config.request_limit_ms);
  if (request.operation == Operation::write && in.rules.versions == Versions::own_counter)
    return storeNew(in, ++node.counter, VersionSource::own_counter);
  if (request.operation == Operation::write && in.rules.versions == Versions::clock)
    return storeNew(in, request.clock, VersionSource::clock);
  for (const ServerId home : in.config.homes) in.send(home, Read{request.number});
}

void onReadReply(const Context& in, ServerId from, const ReadReply& reply) {
  if (!in.node.doing || in.node.doing->request.number != reply.request) return;
  Coordination& doing = *in.node.doing;
  const bool again = std::any_of(doing.replies.begin(), doing.replies.end(),
                                 [from](const Reply& other) { return other.from == from; });
  if (again && in.rules.counted == Counted::replicas) return;
  if (doing.phase == Phase::storing) {
    // Of a read that writes back: who has the value already is as good as one that acknowledges it.
    if (doing.stores_new || reply.stored.version < doing.chosen.version || contains(doing.acked, from))
      return;
    insertInOrder(doing.acked, from);
    return finishIfStored(in);
  }
  insertInOrder(doing.replies, Reply{from, reply.stored.version});
  if (doing.phase == Phase::repairing) return onLateReply(in, from, reply.stored);
  if (doing.replies.size() == 1 || reply.stored.version > doing.chosen.version) doing.chosen = reply.stored;
  if (doing.replies.size() >= readQuorum(in)) onQuorumRead(in);
}

void onWriteAck(const Context& in, ServerId from, const WriteAck& ack) {
  if (!in.node.doing || in.node.doing->request.number != ack.request) return;
  Coordination& doing = *in.node.doing;
  if (doing.phase != Phase::storing || ack.version != doing.chosen.version) return;
  const ServerId home = ack.home == no_server ? from : ack.home;
  if (contains(doing.acked, home) && in.rules.counted == Counted::replicas) return;
  insertInOrder(doing.acked, home);
  finishIfStored(in);
}

void onStandIn(const Context& in) {
  if (!in.node.doing || in.node.doing->phase != Phase::storing) return;
  const Coordination& doing = *in.node.doing;
  auto stand_in = in.config.stand_ins.begin();
  for (const ServerId home : in.config.homes) {
    if (stand_in == in.config.stand_ins.end()) return;
    if (contains(doing.acked, home)) continue;
    in.send(*stand_in, Write{doing.request.number, doing.chosen, home});
    in.emit(StoodIn{doing.request.number, home, *stand_in});
    ++stand_in;
  }
}

void onGiveUp(const Context& in) {
  if (!in.node.doing || in.node.doing->phase == Phase::repairing) return;
  finish(in, in.node.doing->stores_new ? Outcome::unknown : Outcome::failed);
}

}  // namespace zablab::quorum_register
