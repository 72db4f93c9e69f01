// Handles one input of a server: first what applies in every role, then the part of the protocol that it
// concerns. Included by the one file of each family that instantiates it.
#pragma once

#include "protocol/leader_followers/server.h"

#include <algorithm>

#include "protocol/leader_followers/election_impl.h"
#include "protocol/leader_followers/replication_impl.h"
#include "protocol/leader_followers/requests_impl.h"
#include "protocol/leader_followers/roles_impl.h"
#include "protocol/overloaded.h"
#include "protocol/variant.h"

namespace zablab::leader_followers {

/// The sender's generation, if a message states it: neither a candidate's, which has to be weighed first, nor
/// one that is only asked about.
template <class S>
std::int64_t generationOf(const BasicContext<S>&, const BasicMessage<S>& message) {
  return visit(Overloaded{
                   [](const VoteResponse& m) { return m.pre && m.granted ? 0 : m.generation; },
                   [](const BasicAppend<S>& m) { return m.generation; },
                   [](const AppendResponse& m) { return m.generation; },
                   [](const auto&) { return std::int64_t{0}; },
               },
               message);
}

template <class S>
void onServerMessage(const BasicContext<S>& ctx, ServerId from, const BasicMessage<S>& message) {
  const std::int64_t generation = generationOf(ctx, message);
  if (generation > ctx.node.generation)
    becomeFollower(ctx, std::nullopt, generation, RoleReason::higher_generation);
  visit(Overloaded{
            [&](const VoteRequest& request) { onVoteRequest(ctx, from, request); },
            [&](const VoteResponse& response) { onVoteResponse(ctx, from, response); },
            [&](const BasicAppend<S>& append) { onAppend(ctx, from, append); },
            [&](const AppendResponse& response) { onAppendResponse(ctx, from, response); },
            [&](const BasicForwarded<S>& request) { onForwarded(ctx, from, request); },
            [&](const BasicForwardedReply<S>& reply) { onForwardedReply(ctx, reply); },
            [&](const auto&) {},  // messages of the other link
        },
        message);
}

template <class S>
void onReceived(const BasicContext<S>& ctx, const typename BasicFamily<S>::V::Received& received) {
  if (received.link == server_link) return onServerMessage(ctx, received.from, received.message);
  if (const auto* request = get_if<BasicClientRequest<S>>(&received.message))
    onClientRequest(ctx, received.from, *request);
}

void onConnected(const IsContext auto& ctx, Link link, ServerId peer) {
  if (link != server_link) return;
  askAgain(ctx, peer);
  appendAgain(ctx, peer);
}

void onDisconnected(const IsContext auto& ctx, Link link, ServerId peer) {
  if (link == client_link) return onClientGone(ctx, peer);
  onServerGone(ctx, peer);
  onUnreachable(ctx, peer);
  askAgain(ctx, peer);
}

void onTimer(const IsContext auto& ctx, TimerKind kind, ServerId peer) {
  switch (kind) {
    case TimerKind::election: return onElectionTimeout(ctx);
    case TimerKind::heartbeat: return onHeartbeat(ctx);
    case TimerKind::silent: return onSilent(ctx, peer);
    case TimerKind::led_over: return onLeaderSilent(ctx);
    case TimerKind::client_retry:
    case TimerKind::answer_limit: return;  // a client's
  }
}

template <class S>
BasicServer<S> BasicFamily<S>::loadedServer(ServerId self, const BasicDurable<S>& disk) {
  BasicServer<S> node;
  node.self = self;
  load(node, disk);
  return node;
}

template <class S>
void BasicFamily<S>::stepServer(const Config& config, const Rules& rules, BasicServer<S>& node,
                                const typename V::Input& input, typename V::Effects& out) {
  const BasicContext<S> ctx{config, rules, node, out};
  visit(Overloaded{
            [&](const typename V::Start& started) { start(ctx, started.disk); },
            [&](const typename V::TakeUp&) { takeUp(ctx); },
            [&](const typename V::Received& received) { onReceived(ctx, received); },
            [&](const typename V::Connected& connected) { onConnected(ctx, connected.link, connected.peer); },
            [&](const typename V::Refused& refused) { onUnreachable(ctx, refused.peer); },
            [&](const typename V::Disconnected& closed) { onDisconnected(ctx, closed.link, closed.peer); },
            [&](const typename V::Fired& fired) { onTimer(ctx, fired.timer.kind, fired.timer.key); },
            [&](const typename V::Asked& asked) { onWriteAsked(ctx, asked.request); },
            [&](const typename V::WriteFailed&) { ctx.exit("a write to the disk failed"); },
            [&](const typename V::Prompt&) { onElectionTimeout(ctx); },
            [&](const typename V::OwnAction&) {},
            [&](const typename V::NowDurable&) {},
            [&](const typename V::Age&) {},
        },
        input);
}

template <class S>
void BasicFamily<S>::write(BasicDurable<S>& disk, const BasicRecord<S>& record) {
  visit(Overloaded{
            [&](const WriteVote& vote) {
              disk.generation = vote.generation;
              disk.voted_for = vote.voted_for;
            },
            [&](const BasicWriteEntry<S>& entry) { disk.log.push_back(entry.entry); },
            [&](const Truncate& truncate) {
              disk.log.resize(std::min(disk.log.size(), static_cast<std::size_t>(truncate.index)));
            },
        },
        record);
}

}  // namespace zablab::leader_followers
