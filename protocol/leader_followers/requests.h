// Clients' requests at the servers: a follower hands them on to its leader, a leader puts writes into its log
// and answers reads once it knows that it still leads, and nobody accepts any without a leader.
#pragma once

#include "protocol/leader_followers/context.h"

namespace zablab::leader_followers {

void onClientRequest(const Context& ctx, ServerId client, const ClientRequest& request);
void onClientGone(const Context& ctx, ServerId client);
/// A write for which nobody waits, put into the log where it can be.
void onWriteAsked(const Context& ctx, const Request& request);
void onForwarded(const Context& ctx, ServerId follower, const Forwarded& request);
void onForwardedAnswer(const Context& ctx, const ForwardedAnswer& answer);
/// The connection to another server is gone, and with it what was handed on by it.
void onServerGone(const Context& ctx, ServerId server);

/// `by` has heard of the leader's reads up to this one, and takes it for the leader.
void confirmReads(const Context& ctx, ServerId by, const ReadMark& up_to);
/// Answers what is committed, and reads that are confirmed.
void answerReady(const Context& ctx);
/// The role ends: nobody can say what becomes of what was accepted or handed on.
void giveUpRequests(const Context& ctx);

}  // namespace zablab::leader_followers
