// FastLeaderElection. A server that looks says its vote to every voter, adopts any better vote it hears, and
// is done when a quorum shares its vote and nothing better comes within the finalize wait. A server that
// finds others already leading and following joins them.
//
// Remembered while looking: the own vote (`proposal`), the last vote of each server in this round (`box`),
// and the votes of those who lead or follow (`established`). The round counts calls of lookForLeader since
// the process started. Nothing of an election is durable; the votes are about what is.
#pragma once

#include <map>
#include <vector>

#include "protocol/zab/context.h"

namespace zablab::zab {

/// How `challenger` stands against `current` (FastLeaderElection, totalOrderPredicate).
Comparison compare(const Config& config, const BroadcastRules& rules, const Vote& challenger,
                   const Vote& current);
bool beats(Comparison comparison);

/// The servers in `box` that agree with `vote` of a server in `state`, in order (FastLeaderElection,
/// getVoteTracker). `same_round`: non-looking entries agree by the leader alone, as for notifications of the
/// own round.
std::vector<ServerId> agreeing(const BroadcastRules& rules, const std::map<ServerId, Ballot>& box,
                               const Ballot& vote, bool same_round);

/// Puts a vote into a box, by the rule for boxes.
void putIntoBox(const BroadcastRules& rules, std::map<ServerId, Ballot>& box, ServerId from,
                const Ballot& ballot);

/// The vote with which a server begins: itself, its last transaction, its epoch.
Vote initialVote(const Config& config, const BroadcastRules& rules, const auto& node);

/// Begins a call of lookForLeader (the node is LOOKING already).
void startElection(const IsContext auto& ctx);

/// A notification arrived, in whatever role.
void onNotification(const IsContext auto& ctx, ServerId from, const Notification& notification);

/// Nothing was heard for the whole wait.
void onSilence(const IsContext auto& ctx, bool undelivered);

/// The decided vote stayed unchallenged.
/// The election is over with this vote; nothing else is told of it.
void onElected(const IsContext auto& ctx, const Vote& vote);
void onFinalizeWaitOver(const IsContext auto& ctx);

}  // namespace zablab::zab
