#pragma once

#include "protocol/leader_followers/roles.h"

#include "protocol/leader_followers/replication.h"
#include "protocol/leader_followers/requests.h"

namespace zablab::leader_followers {
/// Whether there is a time after which a server no longer counts as led, although it has not timed out.
bool hasLease(const IsContext auto& ctx) { return ctx.rules.led_until == LedUntil::least_timeout; }

/// Clears what belongs to the role that ends, or to following another leader.
void leaveRole(const IsContext auto& ctx) {
  auto& node = ctx.node;
  node.campaign = Campaign::none;
  node.granted.clear();
  if (hasLease(ctx)) ctx.cancelTimer(TimerKind::led_over);
  if (node.role == Role::LEADING) {
    ctx.cancelTimer(TimerKind::heartbeat);
    ctx.forOthers([&](ServerId id) { ctx.cancelTimer(TimerKind::silent, id); });
    node.followers.clear();
  }
  giveUpRequests(ctx);
}

void enter(const IsContext auto& ctx, Role role, std::optional<ServerId> leader, RoleReason reason) {
  auto& node = ctx.node;
  const Role from = std::exchange(node.role, role);
  const auto before = std::exchange(node.leader, leader);
  if (from != role || before != leader || reason == RoleReason::started)
    ctx.emit(RoleChanged{from, role, node.generation, leader, reason});
}

void saveVote(const IsContext auto& ctx, bool new_generation) {
  if (ctx.rules.vote_saved == VoteSaved::nothing) return;
  const bool with_vote = ctx.rules.vote_saved == VoteSaved::vote_and_generation;
  if (!with_vote && !new_generation) return;
  ctx.write(WriteVote{ctx.node.generation, with_vote ? ctx.node.voted_for : std::nullopt});
}

void restartElectionTimer(const IsContext auto& ctx) {
  ctx.setTimerWithin(TimerKind::election, ctx.config.election_timeout_min_ms,
                     ctx.config.election_timeout_max_ms);
}

void restartLedTimer(const IsContext auto& ctx) {
  if (hasLease(ctx)) ctx.setTimer(TimerKind::led_over, ctx.config.election_timeout_min_ms);
}

void onLeaderSilent(const IsContext auto& ctx) {
  if (ctx.node.role != Role::FOLLOWING || !ctx.node.leader) return;
  leaveRole(ctx);
  enter(ctx, Role::FOLLOWING, std::nullopt, RoleReason::leader_silent);
}

template <class S>
void load(BasicServer<S>& node, const BasicDurable<S>& disk) {
  node.generation = disk.generation;
  node.voted_for = disk.voted_for;
  node.log = disk.log;
}

void takeUp(const IsContext auto& ctx) {
  const auto& node = ctx.node;
  ctx.emit(RoleChanged{node.role, node.role, node.generation, node.leader, RoleReason::placed});
  if (node.role != Role::LEADING) {
    if (node.leader) restartLedTimer(ctx);
    return restartElectionTimer(ctx);
  }
  ctx.forOthers([&](ServerId id) { ctx.setTimer(TimerKind::silent, ctx.config.check_quorum_ms, id); });
  ctx.setTimer(TimerKind::heartbeat, ctx.config.heartbeat_ms);
}

template <class S>
void start(const BasicContext<S>& ctx, const BasicDurable<S>& disk) {
  load(ctx.node, disk);
  enter(ctx, Role::LOOKING_FOR_LEADER, std::nullopt, RoleReason::started);
  restartElectionTimer(ctx);  // if there is a leader, it will be heard from before then
}

void becomeFollower(const IsContext auto& ctx, std::optional<ServerId> leader, std::int64_t generation,
                    RoleReason reason) {
  auto& node = ctx.node;
  if (node.role == Role::FOLLOWING && node.generation == generation && node.leader == leader) return;
  const bool led = node.role == Role::LEADING;
  leaveRole(ctx);
  if (generation != node.generation) {
    node.generation = generation;
    node.voted_for.reset();
    saveVote(ctx, true);
  }
  enter(ctx, Role::FOLLOWING, leader, reason);
  if (led) restartElectionTimer(ctx);
}

void voteFor(const IsContext auto& ctx, ServerId candidate, std::int64_t generation) {
  auto& node = ctx.node;
  leaveRole(ctx);
  const bool new_generation = generation != node.generation;
  node.generation = generation;
  node.voted_for = candidate;
  saveVote(ctx, new_generation);
  enter(ctx, Role::FOLLOWING, std::nullopt, RoleReason::voted);
}

void becomeLooking(const IsContext auto& ctx, RoleReason reason) {
  leaveRole(ctx);
  enter(ctx, Role::LOOKING_FOR_LEADER, std::nullopt, reason);
  restartElectionTimer(ctx);
}

void becomeLeader(const IsContext auto& ctx) {
  leaveRole(ctx);
  ctx.cancelTimer(TimerKind::election);
  enter(ctx, Role::LEADING, ctx.node.self, RoleReason::elected);
  beginLeading(ctx);
}

}  // namespace zablab::leader_followers
