#pragma once

#include "protocol/leader_followers/election.h"

#include "protocol/leader_followers/roles.h"

namespace zablab::leader_followers {
enum class LogComparison : std::uint8_t { better, equal, worse };

inline LogComparison compareLogs(const Rules& rules, Position candidate, Position own) {
  if (rules.log_order == LogOrder::index_alone) candidate.generation = own.generation = 0;
  return candidate > own   ? LogComparison::better
         : candidate < own ? LogComparison::worse
                           : LogComparison::equal;
}

template <class S>
VoteDecision decideByLog(const Rules& rules, const BasicServer<S>& node, ServerId candidate,
                         const VoteRequest& request) {
  switch (compareLogs(rules, request.last, endOf(node.log))) {
    case LogComparison::worse: return {false, VoteReason::log_behind};
    case LogComparison::equal:
      if (rules.tie_break == TieBreak::highest_id && candidate < node.self)
        return {false, VoteReason::lower_id};
      break;
    case LogComparison::better: break;
  }
  return {true, VoteReason::up_to_date};
}

/// Whether it is in contact with a leader, itself included.
template <class S>
bool isLed(const BasicServer<S>& node) {
  return node.leader.has_value();
}

template <class S>
VoteRequest requestOf(const BasicServer<S>& node) {
  const bool pre = node.campaign == Campaign::pre_vote;
  return {node.generation + (pre ? 1 : 0), endOf(node.log), pre};
}

void campaign(const IsContext auto& ctx, Campaign campaign);

void beginGeneration(const IsContext auto& ctx) {
  auto& node = ctx.node;
  ++node.generation;
  node.voted_for = node.self;
  saveVote(ctx, true);
  restartElectionTimer(ctx);
  campaign(ctx, Campaign::vote);
}

void countGranted(const IsContext auto& ctx) {
  auto& node = ctx.node;
  if (!ctx.config.isQuorum(node.granted.size())) return;
  const bool pre = node.campaign == Campaign::pre_vote;
  ctx.emit(QuorumCounted{requestOf(node).generation, pre, {node.granted.begin(), node.granted.end()}});
  pre ? beginGeneration(ctx) : becomeLeader(ctx);
}

void requestVote(const IsContext auto& ctx, ServerId voter) {
  const VoteRequest request = requestOf(ctx.node);
  ctx.connect(server_link, voter);
  if (request.pre || ctx.rules.ask_when == AskWhen::at_once) return ctx.send(server_link, voter, request);
  ctx.sendDurable(voter, request);
}

/// Its own vote counts like the others' when it is durable.
void campaign(const IsContext auto& ctx, Campaign campaign) {
  auto& node = ctx.node;
  node.campaign = campaign;
  node.granted.clear();
  if (campaign == Campaign::pre_vote || ctx.config.waits_for_disk) {
    node.granted.insert(node.self);  // it promises nothing, or it is durable
  } else {
    ctx.sendDurable(node.self, VoteResponse{node.generation, true, false});
  }
  ctx.forOthers([&](ServerId id) { requestVote(ctx, id); });
  countGranted(ctx);  // it may be the only member
}

template <class S>
VoteDecision decideVote(const Rules& rules, const BasicServer<S>& node, ServerId candidate,
                        const VoteRequest& request) {
  const bool higher = request.generation > node.generation;
  if (request.generation < node.generation) return {false, VoteReason::lower_generation};
  if (isLed(node) && request.pre && rules.led_voter != LedVoter::refuses_nothing)
    return {false, VoteReason::has_leader};
  if (!higher && node.voted_for) {
    return *node.voted_for == candidate ? VoteDecision{true, VoteReason::repeated}
                                        : VoteDecision{false, VoteReason::voted_for_another};
  }
  if (higher && rules.new_generation == NewGeneration::granted) return {true, VoteReason::higher_generation};
  return decideByLog(rules, node, candidate, request);
}

void onElectionTimeout(const IsContext auto& ctx) {
  becomeLooking(ctx, RoleReason::timed_out);
  const bool pre = ctx.rules.pre_vote == PreVote::asked;
  ctx.emit(Looking{ctx.node.generation + 1, pre, endOf(ctx.node.log)});
  if (!pre) return beginGeneration(ctx);
  campaign(ctx, Campaign::pre_vote);
}

void onVoteRequest(const IsContext auto& ctx, ServerId from, const VoteRequest& request) {
  auto& node = ctx.node;
  if (!request.pre && isLed(node) && request.generation > node.generation &&
      ctx.rules.led_voter == LedVoter::refuses_votes) {
    return;  // and it remains in its generation
  }
  const VoteDecision decision = decideVote(ctx.rules, node, from, request);
  ctx.emit(VoteDecided{from, request.generation, request.pre, decision.granted, decision.reason, request.last,
                       endOf(node.log)});
  if (request.pre) {
    return ctx.send(
        server_link, from,
        VoteResponse{decision.granted ? request.generation : node.generation, decision.granted, true});
  }
  if (decision.granted && decision.reason != VoteReason::repeated) {
    voteFor(ctx, from, request.generation);
  } else if (request.generation > node.generation) {
    becomeFollower(ctx, std::nullopt, request.generation, RoleReason::higher_generation);
  }
  if (decision.granted) restartElectionTimer(ctx);
  ctx.sendDurable(from, VoteResponse{node.generation, decision.granted, false});
}

void onVoteResponse(const IsContext auto& ctx, ServerId from, const VoteResponse& response) {
  auto& node = ctx.node;
  if (response.pre != (node.campaign == Campaign::pre_vote) || node.campaign == Campaign::none) return;
  if (!response.granted || response.generation != requestOf(node).generation) return;
  node.granted.insert(from);
  countGranted(ctx);
}

void askAgain(const IsContext auto& ctx, ServerId peer) {
  if (ctx.node.campaign == Campaign::none || ctx.node.granted.contains(peer)) return;
  requestVote(ctx, peer);
}

}  // namespace zablab::leader_followers
