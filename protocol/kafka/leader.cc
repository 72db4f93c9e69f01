// The partition's leader appends records, answers fetches, and raises the high watermark when all that are in
// sync have a record. It has ZooKeeper write which replicas these are, on condition of the version of the
// partition's state that it knows (Partition.scala).
#include <algorithm>

#include "protocol/kafka/broker.h"
#include "protocol/kafka/replica.h"

namespace zablab::kafka {
namespace {

using zookeeper::Error, zookeeper::OpCode;

constexpr std::int32_t any_version = -1;

/// Those that a record needs to be committed: all that are in sync, and those that may be so by a write that
/// is not answered yet.
std::vector<ServerId> needed(const Context& ctx) {
  const Broker& broker = ctx.broker();
  const auto& wanted = broker.replica.wanted_isr;
  if (!wanted) return broker.applied.isr;
  if (ctx.rules.isr_shrink == IsrShrink::at_once) return *wanted;
  std::vector<ServerId> all = broker.applied.isr;
  for (const ServerId one : *wanted) {
    if (!contains(all, one)) all.push_back(one);
  }
  return all;
}

bool hasEnoughInSync(const Context& ctx) {
  return static_cast<std::int64_t>(ctx.broker().applied.isr.size()) >= ctx.config.min_isr ||
         ctx.rules.min_isr == MinIsr::ignored;
}

Millis lagLimit(const Context& ctx) {
  return ctx.rules.lag_limit == LagLimit::whole ? ctx.config.replica_lag_ms : ctx.config.replica_lag_ms / 2;
}

void answer(const Context& ctx, const Waiting& waiting) {
  const Outcome outcome = hasEnoughInSync(ctx) ? Outcome::ok : Outcome::not_enough_replicas;
  ctx.send(metadata_link, waiting.client, ProduceResponse{waiting.number, outcome, Acks::all});
}

void commit(const Context& ctx) {
  Replica& replica = ctx.broker().replica;
  std::int64_t committed = endOf(replica.log);
  for (const ServerId one : needed(ctx)) {
    if (one == ctx.node.self || ctx.rules.commit_needs == CommitNeeds::leader) continue;
    const auto follower = replica.followers.find(one);
    if (follower == replica.followers.end() || !follower->second.end) return;
    committed = std::min(committed, *follower->second.end);
  }
  raiseHighWatermark(ctx, committed);
  const auto done = [&](const Waiting& one) { return one.offset < replica.high_watermark; };
  for (const Waiting& waiting : replica.waiting) {
    if (done(waiting)) answer(ctx, waiting);
  }
  std::erase_if(replica.waiting, done);
}

void answerFetch(const Context& ctx, ServerId follower) {
  Replica& replica = ctx.broker().replica;
  FollowerState& state = replica.followers[follower];
  state.waits = false;
  cancelReplicaTimer(ctx, TimerKind::fetch_wait, follower);
  const std::int64_t asked = *state.end;
  const std::int64_t from = std::min(asked, endOf(replica.log));
  ctx.send(replica_link, follower,
           FetchResponse{ctx.broker().applied.leader_epoch, asked, from,
                         Log(replica.log.begin() + from, replica.log.end()), replica.high_watermark});
}

/// Those whose fetches wait get what is new.
void answerFetches(const Context& ctx) {
  std::vector<ServerId> waiting;
  for (const auto& [id, state] : ctx.broker().replica.followers) {
    if (state.waits) waiting.push_back(id);
  }
  for (const ServerId one : waiting) answerFetch(ctx, one);
}

void askIsr(const Context& ctx, Stage stage, const zookeeper::Op& op) {
  Replica& replica = ctx.broker().replica;
  replica.isr_stage = stage;
  replica.isr_asked = op;
  const std::int64_t number = replica.isr_number = requestNumber(ctx, stage);
  ctx.emit(zookeeper::Requested{number, op});
  onSessionEvents(ctx, askZooKeeper(ctx, number, op));
}

void writeIsr(const Context& ctx, std::vector<ServerId> isr) {
  Broker& broker = ctx.broker();
  if (broker.replica.wanted_isr) return;
  Partition next = broker.applied;
  next.isr = isr;
  broker.replica.wanted_isr = std::move(isr);
  const std::int32_t version =
      ctx.rules.isr_version == IsrVersion::compared ? broker.applied_version : any_version;
  askIsr(ctx, Stage::isr_written, {setOp(state_path, textOf(next), version)});
}

void onIsrWritten(const Context& ctx, std::int32_t version) {
  Broker& broker = ctx.broker();
  broker.applied.isr = *std::exchange(broker.replica.wanted_isr, std::nullopt);
  broker.applied_version = version;
  ctx.emit(IsrChanged{broker.applied.isr});
  commit(ctx);
}

/// A controller has decided since that this broker leads on.
bool leadsBy(const Context& ctx, const Partition& there) {
  return there.leader == ctx.node.self && there.leader_epoch > ctx.broker().applied.leader_epoch;
}

/// As if that controller's request had arrived.
void goOn(const Context& ctx, const Partition& there, std::int32_t version) {
  ctx.broker().applied = there;
  ctx.broker().applied_version = version;
  std::vector<Waiting>& waiting = ctx.broker().replica.waiting;
  std::vector<Waiting> kept = std::exchange(waiting, {});  // the log goes on, and who waits for it
  takeRole(ctx);
  waiting = std::move(kept);
  commit(ctx);
}

/// A follower is in sync again when it has all that is committed, and all that this leader began with.
void joinIsr(const Context& ctx, ServerId follower, std::int64_t end) {
  const Broker& broker = ctx.broker();
  const Replica& replica = broker.replica;
  if (contains(broker.applied.isr, follower) || end < std::max(replica.high_watermark, replica.epoch_start))
    return;
  std::vector<ServerId> isr = broker.applied.isr;
  isr.push_back(follower);
  writeIsr(ctx, std::move(isr));
}

}  // namespace

void beginLeading(const Context& ctx) {
  Replica& replica = ctx.broker().replica;
  replica.role = ReplicaRole::leader;
  replica.epoch_start = endOf(replica.log);
  for (const ServerId other : ctx.config.assignment) {
    if (other == ctx.node.self) continue;
    replica.followers[other] = {};
    setReplicaTimer(ctx, TimerKind::replica_lag, lagLimit(ctx), other);
  }
  commit(ctx);
}

void endLeading(const Context& ctx) {
  Replica& replica = ctx.broker().replica;
  for (const auto& [other, state] : replica.followers) {
    cancelReplicaTimer(ctx, TimerKind::replica_lag, other);
    if (state.waits) cancelReplicaTimer(ctx, TimerKind::fetch_wait, other);
  }
  for (const Waiting& waiting : replica.waiting)
    ctx.send(metadata_link, waiting.client, ProduceResponse{waiting.number, Outcome::not_leader, Acks::all});
  replica.followers.clear();
  replica.waiting.clear();
  replica.wanted_isr.reset();
  replica.isr_asked.reset();
  replica.isr_stage = Stage::none;
  replica.epoch_start = 0;
}

void onFetch(const Context& ctx, ServerId from, const Fetch& fetch) {
  Replica& replica = ctx.broker().replica;
  const auto found = replica.followers.find(from);
  if (found == replica.followers.end()) return;
  FollowerState& follower = found->second;
  const std::int64_t end = endOf(replica.log);
  const bool fetched_before = follower.end.has_value();
  if (fetch.offset >= end) {
    setReplicaTimer(ctx, TimerKind::replica_lag, lagLimit(ctx), from);
  } else if (fetched_before && fetch.offset >= follower.leader_end && ctx.rules.in_sync != InSync::at_end) {
    ctx.out.push_back(V::AskAge{from});  // it has what there was at its fetch before: it was in sync then
  }
  ctx.out.push_back(V::Mark{from});
  follower.end = fetch.offset;
  follower.leader_end = std::max(follower.leader_end, end);
  joinIsr(ctx, from, fetch.offset);
  commit(ctx);
  if (fetch.offset != endOf(replica.log)) return answerFetch(ctx, from);
  follower.waits = true;
  setReplicaTimer(ctx, TimerKind::fetch_wait, ctx.config.fetch_wait_ms, from);
}

void onEpochEndRequest(const Context& ctx, ServerId from, const EpochEndRequest& request) {
  const Log& log = ctx.broker().replica.log;
  const std::int64_t epoch = epochUpTo(log, request.epoch);
  ctx.send(replica_link, from,
           EpochEndResponse{request.leader_epoch, request.epoch, epoch, endOfEpoch(log, request.epoch)});
}

void onProduce(const Context& ctx, ServerId from, const Produce& request) {
  Broker& broker = ctx.broker();
  const auto reply = [&](Outcome outcome) {
    if (request.acks != Acks::none)
      ctx.send(metadata_link, from, ProduceResponse{request.number, outcome, request.acks});
  };
  if (broker.replica.role != ReplicaRole::leader) return reply(Outcome::not_leader);
  if (request.acks == Acks::all && !hasEnoughInSync(ctx)) return reply(Outcome::not_enough_replicas);
  if (ctx.rules.produced == ProduceDone::only_answered && request.acks == Acks::leader)
    return reply(Outcome::ok);
  const std::int64_t offset = endOf(broker.replica.log);
  append(ctx, {Entry{request.number, broker.applied.leader_epoch}});
  if (request.acks == Acks::all) {
    broker.replica.waiting.push_back({from, request.number, offset});
  } else {
    reply(Outcome::ok);
  }
  commit(ctx);
  if (ctx.rules.new_records == NewRecords::answer_fetches) answerFetches(ctx);
}

void onConsume(const Context& ctx, ServerId from, const Consume& request) {
  const Replica& replica = ctx.broker().replica;
  ConsumeResponse response{request.number, Outcome::not_leader, 0};
  if (replica.role == ReplicaRole::leader && replica.high_watermark < replica.epoch_start) {
    response.outcome = Outcome::not_available;
  } else if (replica.role == ReplicaRole::leader) {
    response.outcome = Outcome::ok;
    const std::int64_t end =
        ctx.rules.consumed == ConsumedUpTo::high_watermark ? replica.high_watermark : endOf(replica.log);
    if (end > 0) response.record = replica.log[static_cast<std::size_t>(end - 1)].number;
  }
  ctx.send(metadata_link, from, response);
}

void onFetchWaited(const Context& ctx, ServerId follower) {
  const Replica& replica = ctx.broker().replica;
  const auto found = replica.followers.find(follower);
  if (found != replica.followers.end() && found->second.waits) answerFetch(ctx, follower);
}

void onFollowerLags(const Context& ctx, ServerId follower) {
  const Broker& broker = ctx.broker();
  if (broker.replica.role != ReplicaRole::leader) return;
  const bool has_everything = ctx.rules.in_sync == InSync::with_everything &&
                              broker.replica.followers.at(follower).end == endOf(broker.replica.log);
  // As long as there is nothing new it is in sync, and that is looked at twice in the time.
  setReplicaTimer(ctx, TimerKind::replica_lag, lagLimit(ctx) / (has_everything ? 2 : 1), follower);
  if (has_everything || !contains(broker.applied.isr, follower)) return;
  std::vector<ServerId> isr = broker.applied.isr;
  std::erase(isr, follower);
  writeIsr(ctx, std::move(isr));
  commit(ctx);
}

void onFetchedBefore(const Context& ctx, ServerId follower, std::optional<Millis> age) {
  const Replica& replica = ctx.broker().replica;
  if (replica.role != ReplicaRole::leader || !age) return;
  const Millis left = std::max<Millis>(lagLimit(ctx) - *age, 1);
  setReplicaTimer(ctx, TimerKind::replica_lag, left, follower);
}

void onIsrAnswered(const Context& ctx, const zookeeper::Answered& answered) {
  Replica& replica = ctx.broker().replica;
  // A write of the leader epoch before has the same number, and another version.
  if (!replica.isr_asked || answered.number != replica.isr_number || answered.op != *replica.isr_asked)
    return;
  const zookeeper::Op op = *std::exchange(replica.isr_asked, std::nullopt);
  const Stage stage = std::exchange(replica.isr_stage, Stage::none);
  const zookeeper::Result& result = answered.result;
  if (result.error == Error::CONNECTIONLOSS || result.error == Error::SESSIONEXPIRED) {
    noteUnknown(ctx, op);
    return askIsr(ctx, stage, op);
  }
  const bool done = result.error == Error::OK && result.stat;
  if (stage == Stage::isr_written) {
    if (!done && ctx.rules.isr_answer == IsrAnswer::assumed)
      return onIsrWritten(ctx, ctx.broker().applied_version);
    if (done) return onIsrWritten(ctx, result.stat->version);
    // The write may have been made before, and the reply lost.
    if (result.error == Error::BADVERSION)
      return askIsr(ctx, Stage::isr_read, readOp(OpCode::getData, state_path, false));
  } else if (done && result.data) {
    Partition wanted = ctx.broker().applied;
    wanted.isr = *replica.wanted_isr;
    const auto there = partitionOf(*result.data);
    if (there == wanted) return onIsrWritten(ctx, result.stat->version);
    if (there && ctx.rules.stale_isr == StaleIsr::reads_again && leadsBy(ctx, *there))
      return goOn(ctx, *there, result.stat->version);
  }
  // It may have been in force for a time, and a controller has decided since: a record needs those replicas,
  // too, until that controller's request arrives here.
  if (replica.wanted_isr) ctx.emit(IsrRefused{*replica.wanted_isr});
}

}  // namespace zablab::kafka
