// Who is still there. A learner answers its leader's pings; a leader counts whom it hears. Both give up after
// silence.
#pragma once

#include "protocol/zab/context.h"

namespace zablab::zab {

/// Reaches a phase of the role, unless it is there.
void enterPhase(const Context& in, Phase phase);

// ---- the leader

/// Says who is in the leader's care.
void showLearners(const Context& in, ServerId learner);
/// Closes the connection of a learner and forgets it.
void dropLearner(const Context& in, ServerId learner);
void onLearnerGone(const Context& in, ServerId learner);
/// A packet came from a learner: its time begins anew.
void hearLearner(const Context& in, ServerId learner);
void onHalfTick(const Context& in);
void onLearnerLimit(const Context& in, ServerId learner);

// ---- the learner

/// A packet came from the leader: its time begins anew.
void hearLeader(const Context& in);
void onPing(const Context& in, ServerId from, const Ping& ping);
void onLeaderGone(const Context& in);
void onLeaderLimit(const Context& in);

}  // namespace zablab::zab
