// FastLeaderElection. A server that looks sends its vote to every voter, adopts any better vote it receives,
// and is done when a quorum shares its vote and no better vote arrives within the finalize wait. A server
// that finds others already leading and following joins them.
//
// State while looking: the server's own vote (`proposal`), the last vote of each server in this round
// (`recvset`), and the votes of servers that lead or follow (`outofelection`). `logicalclock` counts calls of
// lookForLeader since the process started. No state of an election is durable; the votes refer to state that
// is.
//
// Source: FastLeaderElection.java. The paper on Zab assumes a leader oracle; Medeiros, "ZooKeeper's atomic
// broadcast protocol: theory and practice" (2012), describes this one.
#pragma once

#include <map>
#include <vector>

#include "protocol/zab/context.h"

namespace zablab::zab {

/// Compares `challenger` with `current` (FastLeaderElection, totalOrderPredicate).
Comparison compare(const Config& config, const BroadcastRules& rules, const Vote& challenger,
                   const Vote& current);
bool beats(const BroadcastRules& rules, Comparison comparison);

/// The servers in `box` that agree with `vote` of a server in `state`, in order (FastLeaderElection,
/// getVoteTracker). `same_round`: non-looking entries agree by the leader alone, as for notifications of the
/// server's own round.
std::vector<ServerId> agreeing(const BroadcastRules& rules, const std::map<ServerId, Ballot>& box,
                               const Ballot& vote, bool same_round);

/// Puts a vote into a box, according to the rule for boxes.
void putIntoBox(const BroadcastRules& rules, std::map<ServerId, Ballot>& box, ServerId from,
                const Ballot& ballot);

/// The initial vote of a server: itself, its last transaction, its epoch.
Vote initialVote(const Config& config, const BroadcastRules& rules, const auto& node);

/// Begins a call of lookForLeader (the node is LOOKING already).
void startElection(const IsContext auto& ctx);

/// A notification arrived; the server may be in any role.
void onNotification(const IsContext auto& ctx, ServerId from, const Notification& notification);

/// Nothing was received for the whole wait.
void onSilence(const IsContext auto& ctx, bool undelivered);

/// The outcome of the election is an input: ends it with this vote, without counting any votes.
void onElected(const IsContext auto& ctx, const Vote& vote);
/// No better vote arrived within the finalize wait: ends the election with the server's own vote.
void onFinalizeWaitOver(const IsContext auto& ctx);

}  // namespace zablab::zab
