// Clients' requests at the servers: a follower forwards them to its leader, a leader puts writes into its log
// and answers reads once it knows that it still leads, and a server without a leader accepts no requests.
#pragma once

#include "protocol/leader_followers/context.h"

namespace zablab::leader_followers {

template <class S>
void onClientRequest(const BasicContext<S>& ctx, ServerId client, const BasicClientRequest<S>& request);
void onClientGone(const IsContext auto& ctx, ServerId client);
/// A write whose answer no client awaits, put into the log if possible.
template <class S>
void onWriteAsked(const BasicContext<S>& ctx, const BasicRequest<S>& request);
template <class S>
void onForwarded(const BasicContext<S>& ctx, ServerId follower, const BasicForwarded<S>& request);
template <class S>
void onForwardedReply(const BasicContext<S>& ctx, const BasicForwardedReply<S>& reply);
/// The connection to another server is closed, and the requests forwarded through it are lost.
void onServerGone(const IsContext auto& ctx, ServerId server);

/// `by` has received the leader's reads up to this one and accepts it as the leader.
void confirmReads(const IsContext auto& ctx, ServerId by, const ReadMark& up_to);
/// Answers writes that are committed and reads that are confirmed.
template <class S>
void answerReady(const BasicContext<S>& ctx);
/// The role ends: the outcome of requests that were accepted or forwarded cannot be known.
void giveUpRequests(const IsContext auto& ctx);

}  // namespace zablab::leader_followers
