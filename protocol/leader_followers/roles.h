// The three roles: a change of role is one of these functions.
#pragma once

#include "protocol/leader_followers/context.h"

namespace zablab::leader_followers {

/// Writes down the present generation and vote, of which one is new.
void saveVote(const Context& ctx, bool new_generation);
/// The time until it looks for a leader begins anew.
void restartElectionTimer(const Context& ctx);

/// What a process takes from its disk.
void load(Node& node, const Durable& disk);
void start(const Context& ctx, const Durable& disk);
/// It runs already, in the role that it was given.
void takeUp(const Context& ctx);
/// It follows `leader`, or nobody yet, in `generation`. In a higher one it has not voted.
void becomeFollower(const Context& ctx, std::optional<ServerId> leader, std::int64_t generation,
                    RoleReason reason);
/// It votes for `candidate` in `generation`, and follows whoever is elected.
void voteFor(const Context& ctx, ServerId candidate, std::int64_t generation);
/// It has no leader and will look for one.
void becomeLooking(const Context& ctx, RoleReason reason);
/// A quorum has elected it.
void becomeLeader(const Context& ctx);

}  // namespace zablab::leader_followers
