// What leader and followers have in common: the log and what is known to be committed.
#include "protocol/kafka/replica.h"

#include <algorithm>

#include "protocol/overloaded.h"

namespace zablab::kafka {

std::int64_t endOfEpoch(const Log& log, std::int64_t epoch) {
  const auto after =
      std::find_if(log.begin(), log.end(), [&](const Entry& entry) { return entry.leader_epoch > epoch; });
  return after - log.begin();
}

std::int64_t epochUpTo(const Log& log, std::int64_t epoch) {
  const std::int64_t end = endOfEpoch(log, epoch);
  return end == 0 ? -1 : log[static_cast<std::size_t>(end - 1)].leader_epoch;
}

void append(const Context& ctx, const Log& entries) {
  Log& log = ctx.broker().replica.log;
  log.insert(log.end(), entries.begin(), entries.end());
  ctx.write(AppendRecords{entries});
}

void truncate(const Context& ctx, std::int64_t end, TruncatedBy by) {
  Replica& replica = ctx.broker().replica;
  if (end >= endOf(replica.log)) return;
  ctx.emit(Truncated{endOf(replica.log), end, by});
  replica.log.resize(static_cast<std::size_t>(end));
  ctx.write(TruncateLog{end});
  if (replica.high_watermark <= end) return;
  replica.high_watermark = end;
  ctx.write(CheckpointHighWatermark{end});
}

void raiseHighWatermark(const Context& ctx, std::int64_t to) {
  Replica& replica = ctx.broker().replica;
  if (to <= replica.high_watermark) return;
  replica.high_watermark = to;
  ctx.emit(HighWatermarkRaised{to, replica.role == ReplicaRole::leader});
  ctx.write(CheckpointHighWatermark{to});
}

void setReplicaTimer(const Context& ctx, TimerKind kind, Millis ms, ServerId follower) {
  const auto peer = follower == no_server ? std::nullopt : std::optional(follower);
  ctx.out.push_back(V::SetTimer{{kind, {peer, std::nullopt}}, ms, ms});
}

void cancelReplicaTimer(const Context& ctx, TimerKind kind, ServerId follower) {
  const auto peer = follower == no_server ? std::nullopt : std::optional(follower);
  ctx.out.push_back(V::CancelTimer{{kind, {peer, std::nullopt}}});
}

void onReplicaTimer(const Context& ctx, TimerKind kind, ServerId follower) {
  if (kind == TimerKind::fetch_retry) return askLeader(ctx);
  if (kind == TimerKind::fetch_wait) return onFetchWaited(ctx, follower);
  if (kind == TimerKind::replica_lag) return onFollowerLags(ctx, follower);
}

void onReplicaMessage(const Context& ctx, ServerId from, const Message& message) {
  const Broker& broker = ctx.broker();
  const auto of = [&](std::int64_t leader_epoch) { return leader_epoch == broker.applied.leader_epoch; };
  const bool leads = broker.replica.role == ReplicaRole::leader;
  const bool follows = !leads && broker.replica.role != ReplicaRole::none && from == broker.applied.leader;
  visit(Overloaded{
            [&](const Fetch& one) {
              if (leads && of(one.leader_epoch)) onFetch(ctx, from, one);
            },
            [&](const EpochEndRequest& one) {
              if (leads && of(one.leader_epoch)) onEpochEndRequest(ctx, from, one);
            },
            [&](const FetchResponse& one) {
              if (follows && of(one.leader_epoch)) onFetchResponse(ctx, one);
            },
            [&](const EpochEndResponse& one) {
              if (follows && of(one.leader_epoch)) onEpochEndResponse(ctx, one);
            },
            [](const auto&) {},
        },
        message);
}

void takeRole(const Context& ctx) {
  Broker& broker = ctx.broker();
  Replica& replica = broker.replica;
  const bool has_replica = contains(ctx.config.assignment, ctx.node.self);
  const bool again = replica.role == ReplicaRole::leader && broker.applied.leader == ctx.node.self;
  endLeading(ctx);
  cancelReplicaTimer(ctx, TimerKind::fetch_retry);
  replica.role = ReplicaRole::none;
  RoleChanged changed{broker.applied.leader, broker.applied.leader_epoch, again, {}};
  if (broker.applied.leader == ctx.node.self) {
    for (const Entry& entry : replica.log) changed.records.push_back(entry.number);
  }
  ctx.emit(std::move(changed));
  if (!has_replica || broker.applied.leader == no_server) return;
  broker.applied.leader == ctx.node.self ? beginLeading(ctx) : beginFollowing(ctx);
}

}  // namespace zablab::kafka
