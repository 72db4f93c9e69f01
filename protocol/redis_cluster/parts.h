// The parts of a node, each in a file of its own name. A step first processes its input, then what follows
// from the node's new view of the cluster (`concludeStep`).
#pragma once

#include "protocol/redis_cluster/context.h"

namespace zablab::redis_cluster {

// ---- bus.cc: PING, PONG, and what every packet says about its sender
void startBus(const Context&);
void onPingTimer(const Context&, ServerId peer);
/// The PING that the node sends to any other one now.
Ping pingOf(const Context&);
/// Sends a PING to a node that does not answer as often as its port is dialled.
void pingAgain(const Context&, ServerId peer);
/// What every packet says.
void onHeader(const Context&, ServerId from, const Header&);
/// What only PING and PONG say: the sender's role and slots.
void onConfiguration(const Context&, ServerId from, const Header&);
void onPing(const Context&, ServerId from, const Ping&);
void onPong(const Context&, ServerId from, const Pong&);
/// Tells every node of a change, without waiting for the next PING.
void announce(const Context&);

// ---- failure.cc: PFAIL and FAIL; whether the cluster serves
void onAnyPacket(const Context&, ServerId from);
/// From now on for the node time-out; then it is suspected.
void awaitAnswer(const Context&, ServerId peer);
void onAlive(const Context&, ServerId from);
void onSilent(const Context&, ServerId peer);
void onGossip(const Context&, ServerId from, const std::vector<ServerId>& failing);
void onFail(const Context&, const Fail&);
void updateState(const Context&);

// ---- slots.cc: who owns what
void onClaim(const Context&, ServerId owner, std::int64_t config_epoch, const std::vector<Slot>& slots);
void correctStaleClaim(const Context&, ServerId from, const Header&);
void onUpdate(const Context&, const Update&);
void resolveCollision(const Context&, ServerId with);
void follow(const Context&, ServerId master);
/// A replica of a replica follows the latter's master.
void leaveSubReplica(const Context&);

// ---- failover.cc: a replica of a failed master
void considerFailover(const Context&);
void onAge(const Context&, std::optional<Millis> age);
void onElectionTimer(const Context&);
void onAuthTimeout(const Context&);
void onAuthRetry(const Context&);
void onAuthAck(const Context&, ServerId from, const AuthAck&);
void onCommanded(const Context&, const Request&);
void endAttempt(const Context&);
/// Of ages of data, the least that is too high. Empty: there is none.
std::optional<Millis> tooOldFrom(const Config&, const Rules&);

// ---- manual.cc: a replica that was instructed to replace its master, which works
void beginManual(const Context&);
/// Of a node that runs when a run begins, in the middle of a manual failover or not.
void takeUpManual(const Context&);
void onMfStart(const Context&, ServerId from);
void notePaused(const Context&, ServerId from, const Header&);
void considerManual(const Context&);
void onManualEnd(const Context&);
/// What the replica sends to its master after an answer waits for the acknowledgement of the answer.
void awaitAcknowledgement(const Context&);
void onAcknowledged(const Context&);
/// Of both sides. What the master has postponed is executed, or redirected.
void endManual(const Context&);

// ---- voter.cc: a master that is asked for its vote
void onAuthRequest(const Context&, ServerId from, const AuthRequest&);

// ---- replication.cc: masters feed their replicas
void startReplication(const Context&);
void dialMaster(const Context&);
/// The connection to the master has ended.
void markLinkDown(const Context&);
void onLinked(const Context&, ServerId peer);
void onUnlinked(const Context&, ServerId peer);
void onPsync(const Context&, ServerId from);
void onFullResync(const Context&, ServerId from, const FullResync&);
void onReplicate(const Context&, ServerId from, const Replicate&);
void onReplPing(const Context&, ServerId from);
void onReplPingTimer(const Context&);
void execute(const Context&, const Entry&);

// ---- client.cc: clients, and a node's answers to them
void onAsked(const Context&, const Request&);
void onGiveUp(const Context&);
void onReply(const Context&, ServerId from, const Reply&);
void onMoved(const Context&, ServerId from, const Moved&);
void onClusterDown(const Context&, ServerId from, const ClusterDown&);
void onSet(const Context&, ServerId from, const Set&);
void onGet(const Context&, ServerId from, const Get&);

}  // namespace zablab::redis_cluster
