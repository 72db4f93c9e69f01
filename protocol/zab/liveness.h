// Liveness checks. A learner answers its leader's pings; a leader counts the learners it hears from. Both
// give up after silence.
//
// Source: Leader.lead, LearnerHandler.ping, Learner.ping. The paper leaves the detection of failures to the
// oracle that elects.
#pragma once

#include "protocol/zab/context.h"

namespace zablab::zab {

/// Enters a phase of the role, unless the server is already in it.
void enterPhase(const IsContext auto& ctx, Phase phase);

// ---- the leader

/// Reports which learners the leader has accepted.
void showLearners(const IsContext auto& ctx, ServerId learner);
/// Closes the connection of a learner and forgets it.
void dropLearner(const IsContext auto& ctx, ServerId learner);
void onLearnerGone(const IsContext auto& ctx, ServerId learner);
/// A packet came from a learner: its time limit is restarted.
void hearLearner(const IsContext auto& ctx, ServerId learner);
void onHalfTick(const IsContext auto& ctx);
void onLearnerLimit(const IsContext auto& ctx, ServerId learner);

// ---- the learner

/// A packet came from the leader: its time limit is restarted.
void hearLeader(const IsContext auto& ctx);
void onPing(const IsContext auto& ctx, ServerId from, const Ping& ping);
void onLeaderGone(const IsContext auto& ctx);
void onLeaderLimit(const IsContext auto& ctx);

}  // namespace zablab::zab
