// The three roles: a change of role is one of these functions.
#pragma once

#include "protocol/leader_followers/context.h"

namespace zablab::leader_followers {

/// Writes the present generation and vote, one of which is new.
void saveVote(const Context& ctx, bool new_generation);
/// Restarts the time until it looks for a leader.
void restartElectionTimer(const Context& ctx);
/// It has heard from its leader.
void restartLedTimer(const Context& ctx);
/// It has not for the least election timeout.
void onLeaderSilent(const Context& ctx);

/// What a process loads from its disk.
void load(Node& node, const Durable& disk);
void start(const Context& ctx, const Durable& disk);
/// The process already runs, in the role that it was given.
void takeUp(const Context& ctx);
/// It follows `leader`, or no server yet, in `generation`. In a higher generation it has not voted.
void becomeFollower(const Context& ctx, std::optional<ServerId> leader, std::int64_t generation,
                    RoleReason reason);
/// It votes for `candidate` in `generation`, and follows the server that is elected.
void voteFor(const Context& ctx, ServerId candidate, std::int64_t generation);
/// It has no leader and will look for one.
void becomeLooking(const Context& ctx, RoleReason reason);
/// A quorum has elected it.
void becomeLeader(const Context& ctx);

}  // namespace zablab::leader_followers
