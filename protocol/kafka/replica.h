// A broker's replica of the partition: the leader appends records and answers fetches, followers fetch.
#pragma once

#include "protocol/kafka/context.h"

namespace zablab::kafka {

// ---- replica.cc: for both
void append(const Context& ctx, const Log& entries);
void truncate(const Context& ctx, std::int64_t end, TruncatedBy by);
void raiseHighWatermark(const Context& ctx, std::int64_t to);
void setReplicaTimer(const Context& ctx, TimerKind kind, Millis ms, ServerId follower = no_server);
void cancelReplicaTimer(const Context& ctx, TimerKind kind, ServerId follower = no_server);
void onReplicaTimer(const Context& ctx, TimerKind kind, ServerId follower);
void onReplicaMessage(const Context& ctx, ServerId from, const Message& message);
/// The first offset in the log whose leader epoch is after this one.
std::int64_t endOfEpoch(const Log& log, std::int64_t epoch);
/// The latest leader epoch in the log that is not after this one; -1: none.
std::int64_t epochUpTo(const Log& log, std::int64_t epoch);
/// A controller's request has brought a partition's state with another leader epoch.
void takeRole(const Context& ctx);

// ---- leader.cc
void beginLeading(const Context& ctx);
void endLeading(const Context& ctx);
void onFetch(const Context& ctx, ServerId from, const Fetch& fetch);
void onEpochEndRequest(const Context& ctx, ServerId from, const EpochEndRequest& request);
void onProduce(const Context& ctx, ServerId from, const Produce& request);
void onConsume(const Context& ctx, ServerId from, const Consume& request);
void onFetchWaited(const Context& ctx, ServerId follower);
void onFollowerLags(const Context& ctx, ServerId follower);
/// This follower's fetch before the last one was so long ago, and it had then fetched all that it has now.
void onFetchedBefore(const Context& ctx, ServerId follower, std::optional<Millis> age);
void onIsrAnswered(const Context& ctx, const zookeeper::Answered& answered);

// ---- follower.cc
void beginFollowing(const Context& ctx);
void onFetchResponse(const Context& ctx, const FetchResponse& response);
void onEpochEndResponse(const Context& ctx, const EpochEndResponse& response);
void askLeader(const Context& ctx);

}  // namespace zablab::kafka
