// Who is still there. A learner dials its leader and answers its pings; a leader counts whom it hears. Both
// give up after silence.
#pragma once

#include "protocol/zab/context.h"

namespace zablab::zab {

void beginLeading(const Context& in);
void beginLearning(const Context& in);

void onConnected(const Context& in);
void onRefused(const Context& in);
void onDisconnected(const Context& in, ServerId peer);
void onLearnerInfo(const Context& in, ServerId from);
void onPing(const Context& in, ServerId from, const Ping& ping);
void onConnectRetry(const Context& in);
void onHalfTick(const Context& in);
void onInitLimit(const Context& in);
void onLearnerLimit(const Context& in, ServerId learner);
void onLeaderLimit(const Context& in);

}  // namespace zablab::zab
