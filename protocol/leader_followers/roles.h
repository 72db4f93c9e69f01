// The three roles: a change of role is one of these functions.
#pragma once

#include "protocol/leader_followers/context.h"

namespace zablab::leader_followers {

/// Writes the present generation and vote, one of which is new.
void saveVote(const IsContext auto& ctx, bool new_generation);
/// Restarts the time until it looks for a leader.
void restartElectionTimer(const IsContext auto& ctx);
/// It has heard from its leader.
void restartLedTimer(const IsContext auto& ctx);
/// It has not for the least election timeout.
void onLeaderSilent(const IsContext auto& ctx);

/// What a process loads from its disk.
template <class S>
void load(BasicServer<S>& node, const BasicDurable<S>& disk);
template <class S>
void start(const BasicContext<S>& ctx, const BasicDurable<S>& disk);
/// The process already runs, in the role that it was given.
void takeUp(const IsContext auto& ctx);
/// It follows `leader`, or no server yet, in `generation`. In a higher generation it has not voted.
void becomeFollower(const IsContext auto& ctx, std::optional<ServerId> leader, std::int64_t generation,
                    RoleReason reason);
/// It votes for `candidate` in `generation`, and follows the server that is elected.
void voteFor(const IsContext auto& ctx, ServerId candidate, std::int64_t generation);
/// It has no leader and will look for one.
void becomeLooking(const IsContext auto& ctx, RoleReason reason);
/// A quorum has elected it.
void becomeLeader(const IsContext auto& ctx);

}  // namespace zablab::leader_followers
