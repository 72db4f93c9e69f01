// Clients' requests at the servers: a follower forwards them to its leader, a leader puts writes into its log
// and answers reads once it knows that it still leads, and a server without a leader accepts no requests.
#pragma once

#include "protocol/leader_followers/context.h"

namespace zablab::leader_followers {

void onClientRequest(const Context& ctx, ServerId client, const ClientRequest& request);
void onClientGone(const Context& ctx, ServerId client);
/// A write whose answer no client awaits, put into the log if possible.
void onWriteAsked(const Context& ctx, const Request& request);
void onForwarded(const Context& ctx, ServerId follower, const Forwarded& request);
void onForwardedReply(const Context& ctx, const ForwardedReply& reply);
/// The connection to another server is closed, and the requests forwarded through it are lost.
void onServerGone(const Context& ctx, ServerId server);

/// `by` has received the leader's reads up to this one and accepts it as the leader.
void confirmReads(const Context& ctx, ServerId by, const ReadMark& up_to);
/// Answers writes that are committed and reads that are confirmed.
void answerReady(const Context& ctx);
/// The role ends: the outcome of requests that were accepted or forwarded cannot be known.
void giveUpRequests(const Context& ctx);

}  // namespace zablab::leader_followers
