// What a sentinel observes of each instance, a Redis server or another sentinel: whether it answers, what it
// reports about itself, and the configuration that sentinels tell each other.
#pragma once

#include "protocol/sentinel/context.h"

namespace zablab::sentinel {

/// The sentinel begins with what its disk holds.
void startSentinel(const Context& ctx, const Durable& disk);
/// It already runs: its timers are set.
void takeUpSentinel(const Context& ctx);

/// When it looks at everything the next time.
void setTick(const Context& ctx);

/// Connects, and sends PING, INFO and HELLO when they are due.
void sendPeriodic(const Context& ctx, ServerId id);
void checkSubjectivelyDown(const Context& ctx, ServerId id);
void checkObjectivelyDown(const Context& ctx);
/// Every instance gets a HELLO at the next tick.
void sendHelloSoon(const Context& ctx);
/// Follows another master; what was known about the Redis servers is forgotten.
void switchTo(const Context& ctx, ServerId master);

void onInstanceConnected(const Context& ctx, ServerId id);
void onInstanceGone(const Context& ctx, ServerId id);
/// A message is a sign of a connection that the other side has opened.
void onAnyMessage(const Context& ctx, ServerId id);
void onPong(const Context& ctx, ServerId id);
void onInfoReply(const Context& ctx, ServerId id, const InfoReply& reply);
void onHello(const Context& ctx, const Hello& hello);
/// A timer about one instance.
void onInstanceTimer(const Context& ctx, TimerKind kind, ServerId id);

}  // namespace zablab::sentinel
