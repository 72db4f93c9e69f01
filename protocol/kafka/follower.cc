// A follower removes from its log what the leader does not have, and then fetches what comes after it
// (AbstractFetcherThread).
#include <algorithm>

#include "protocol/kafka/replica.h"

namespace zablab::kafka {
namespace {

void retryLater(const Context& ctx) {
  if (ctx.rules.lost_fetch == LostFetch::not_repeated) return;
  setReplicaTimer(ctx, TimerKind::fetch_retry, 2 * ctx.config.fetch_wait_ms);
}

}  // namespace

void beginFollowing(const Context& ctx) {
  Replica& replica = ctx.broker().replica;
  if (ctx.rules.truncation == Truncation::to_high_watermark)
    truncate(ctx, replica.high_watermark, TruncatedBy::high_watermark);
  const bool asks = ctx.rules.truncation == Truncation::to_epoch_end && !replica.log.empty();
  replica.role = asks ? ReplicaRole::truncating : ReplicaRole::fetching;
  askLeader(ctx);
}

void askLeader(const Context& ctx) {
  const Broker& broker = ctx.broker();
  const Replica& replica = broker.replica;
  const std::int64_t leader_epoch = broker.applied.leader_epoch;
  if (replica.role == ReplicaRole::truncating)
    ctx.send(replica_link, broker.applied.leader,
             EpochEndRequest{leader_epoch, replica.log.back().leader_epoch});
  if (replica.role == ReplicaRole::fetching)
    ctx.send(replica_link, broker.applied.leader, Fetch{leader_epoch, endOf(replica.log)});
  retryLater(ctx);
}

void onEpochEndResponse(const Context& ctx, const EpochEndResponse& response) {
  Replica& replica = ctx.broker().replica;
  if (replica.role != ReplicaRole::truncating || response.asked != replica.log.back().leader_epoch) return;
  // What is from later epochs than the one that the leader has named, the leader does not have.
  truncate(ctx, std::min(response.end, endOfEpoch(replica.log, response.epoch)), TruncatedBy::epoch);
  // If the leader has named an epoch that this log lacks, the next one before may end differently, too.
  const bool done = replica.log.empty() || replica.log.back().leader_epoch == response.epoch;
  if (done) replica.role = ReplicaRole::fetching;
  askLeader(ctx);
}

void onFetchResponse(const Context& ctx, const FetchResponse& response) {
  Replica& replica = ctx.broker().replica;
  if (replica.role != ReplicaRole::fetching || response.asked != endOf(replica.log)) return;
  if (response.offset < response.asked) truncate(ctx, response.offset, TruncatedBy::leaders_end);
  if (!response.entries.empty()) append(ctx, response.entries);
  if (ctx.rules.told_high_watermark == ToldHighWatermark::taken)
    raiseHighWatermark(ctx, std::min(response.high_watermark, endOf(replica.log)));
  askLeader(ctx);
}

}  // namespace zablab::kafka
