#include "protocol/leader_followers/election.h"

#include "protocol/leader_followers/roles.h"

namespace zablab::leader_followers {
namespace {

enum class LogComparison : std::uint8_t { better, equal, worse };

LogComparison compare(const Rules& rules, Position candidate, Position own) {
  if (rules.log_order == LogOrder::index_alone) candidate.generation = own.generation = 0;
  return candidate > own   ? LogComparison::better
         : candidate < own ? LogComparison::worse
                           : LogComparison::equal;
}

VoteDecision decideByLog(const Rules& rules, const Node& node, ServerId candidate,
                         const VoteRequest& request) {
  switch (compare(rules, request.last, endOf(node.log))) {
    case LogComparison::worse: return {false, VoteReason::log_behind};
    case LogComparison::equal:
      if (rules.tie_break == TieBreak::highest_id && candidate < node.self)
        return {false, VoteReason::lower_id};
      break;
    case LogComparison::better: break;
  }
  return {true, VoteReason::up_to_date};
}

/// Whether it hears a leader, itself included.
bool isLed(const Node& node) { return node.leader.has_value(); }

VoteRequest requestOf(const Node& node) {
  const bool pre = node.campaign == Campaign::pre_vote;
  return {node.generation + (pre ? 1 : 0), endOf(node.log), pre};
}

void campaign(const Context& in, Campaign campaign);

void beginGeneration(const Context& in) {
  Node& node = in.node;
  ++node.generation;
  node.voted_for = node.self;
  saveVote(in, true);
  restartElectionTimer(in);
  campaign(in, Campaign::vote);
}

void countGranted(const Context& in) {
  Node& node = in.node;
  if (!in.config.isQuorum(node.granted.size())) return;
  const bool pre = node.campaign == Campaign::pre_vote;
  in.emit(QuorumCounted{requestOf(node).generation, pre, {node.granted.begin(), node.granted.end()}});
  pre ? beginGeneration(in) : becomeLeader(in);
}

void request(const Context& in, ServerId voter) {
  const VoteRequest request = requestOf(in.node);
  in.connect(server_link, voter);
  if (request.pre || in.rules.ask_when == AskWhen::at_once) return in.send(server_link, voter, request);
  in.sendDurable(voter, request);
}

/// Its own vote counts like the others' when it is durable.
void campaign(const Context& in, Campaign campaign) {
  Node& node = in.node;
  node.campaign = campaign;
  node.granted.clear();
  if (campaign == Campaign::pre_vote || in.config.waits_for_disk) {
    node.granted.insert(node.self);  // nothing is promised by it, or it is durable
  } else {
    in.sendDurable(node.self, VoteResponse{node.generation, true, false});
  }
  in.forOthers([&](ServerId id) { request(in, id); });
  countGranted(in);  // it may be the only one
}

}  // namespace

VoteDecision decideVote(const Rules& rules, const Node& node, ServerId candidate,
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

void onElectionTimeout(const Context& in) {
  becomeLooking(in, RoleReason::timed_out);
  const bool pre = in.rules.pre_vote == PreVote::asked;
  in.emit(Looking{in.node.generation + 1, pre, endOf(in.node.log)});
  if (!pre) return beginGeneration(in);
  campaign(in, Campaign::pre_vote);
}

void onVoteRequest(const Context& in, ServerId from, const VoteRequest& request) {
  Node& node = in.node;
  if (!request.pre && isLed(node) && request.generation > node.generation &&
      in.rules.led_voter == LedVoter::refuses_votes) {
    return;  // and it stays in its generation
  }
  const VoteDecision decision = decideVote(in.rules, node, from, request);
  in.emit(VoteDecided{from, request.generation, request.pre, decision.granted, decision.reason, request.last,
                      endOf(node.log)});
  if (request.pre) {
    return in.send(
        server_link, from,
        VoteResponse{decision.granted ? request.generation : node.generation, decision.granted, true});
  }
  if (decision.granted && decision.reason != VoteReason::repeated) {
    voteFor(in, from, request.generation);
  } else if (request.generation > node.generation) {
    becomeFollower(in, std::nullopt, request.generation, RoleReason::higher_generation);
  }
  if (decision.granted) restartElectionTimer(in);
  in.sendDurable(from, VoteResponse{node.generation, decision.granted, false});
}

void onVoteResponse(const Context& in, ServerId from, const VoteResponse& response) {
  Node& node = in.node;
  if (response.pre != (node.campaign == Campaign::pre_vote) || node.campaign == Campaign::none) return;
  if (!response.granted || response.generation != requestOf(node).generation) return;
  node.granted.insert(from);
  countGranted(in);
}

void askAgain(const Context& in, ServerId peer) {
  if (in.node.campaign == Campaign::none || in.node.granted.contains(peer)) return;
  request(in, peer);
}

}  // namespace zablab::leader_followers
