// Election: a server that times out asks the others for their votes in a new generation, after asking whether
// it would get them. A server votes once in a generation, for a candidate whose log is at least as good as
// its own.
#pragma once

#include "protocol/leader_followers/context.h"

namespace zablab::leader_followers {

/// What a server answers to a request for its vote.
struct VoteDecision {
  bool granted = false;
  VoteReason reason{};
};
template <class S>
VoteDecision decideVote(const Rules& rules, const BasicServer<S>& node, ServerId candidate,
                        const VoteRequest& request);

/// Nothing was received from a leader for the election time, or the present election had no result.
void onElectionTimeout(const IsContext auto& ctx);
void onVoteRequest(const IsContext auto& ctx, ServerId from, const VoteRequest& request);
void onVoteResponse(const IsContext auto& ctx, ServerId from, const VoteResponse& response);
/// The connection to a server was opened or lost, so a request may not have reached it: it is asked (again).
void askAgain(const IsContext auto& ctx, ServerId peer);

}  // namespace zablab::leader_followers
