// Handles one input: first what applies in every role, then the part of the protocol that it concerns.
#include <algorithm>
#include <variant>

#include "protocol/leader_followers/client.h"
#include "protocol/leader_followers/election.h"
#include "protocol/leader_followers/replication.h"
#include "protocol/leader_followers/requests.h"
#include "protocol/leader_followers/roles.h"
#include "protocol/overloaded.h"

namespace zablab::leader_followers {
namespace {

/// The sender's generation, if a message states it: neither a candidate's, which has to be weighed first, nor
/// one that is only asked about.
std::int64_t generationOf(const Message& message) {
  return std::visit(Overloaded{
                        [](const VoteResponse& m) { return m.pre && m.granted ? 0 : m.generation; },
                        [](const Append& m) { return m.generation; },
                        [](const AppendResponse& m) { return m.generation; },
                        [](const auto&) { return std::int64_t{0}; },
                    },
                    message);
}

void onServerMessage(const Context& ctx, ServerId from, const Message& message) {
  const std::int64_t generation = generationOf(message);
  if (generation > ctx.node.generation)
    becomeFollower(ctx, std::nullopt, generation, RoleReason::higher_generation);
  std::visit(Overloaded{
                 [&](const VoteRequest& request) { onVoteRequest(ctx, from, request); },
                 [&](const VoteResponse& response) { onVoteResponse(ctx, from, response); },
                 [&](const Append& append) { onAppend(ctx, from, append); },
                 [&](const AppendResponse& response) { onAppendResponse(ctx, from, response); },
                 [&](const Forwarded& request) { onForwarded(ctx, from, request); },
                 [&](const ForwardedReply& reply) { onForwardedReply(ctx, reply); },
                 [&](const auto&) {},  // messages of the other link
             },
             message);
}

void onReceived(const Context& ctx, const V::Received& received) {
  if (received.link == server_link) return onServerMessage(ctx, received.from, received.message);
  if (const auto* request = std::get_if<ClientRequest>(&received.message))
    onClientRequest(ctx, received.from, *request);
}

void onConnected(const Context& ctx, const V::Connected& connected) {
  if (connected.link != server_link) return;
  askAgain(ctx, connected.peer);
  appendAgain(ctx, connected.peer);
}

void onDisconnected(const Context& ctx, const V::Disconnected& closed) {
  if (closed.link == client_link) return onClientGone(ctx, closed.peer);
  onServerGone(ctx, closed.peer);
  onUnreachable(ctx, closed.peer);
  askAgain(ctx, closed.peer);
}

void onTimer(const Context& ctx, const Timer& timer) {
  switch (timer.kind) {
    case TimerKind::election: return onElectionTimeout(ctx);
    case TimerKind::heartbeat: return onHeartbeat(ctx);
    case TimerKind::silent: return onSilent(ctx, timer.key);
    case TimerKind::led_over: return onLeaderSilent(ctx);
    case TimerKind::client_retry:
    case TimerKind::answer_limit: return;  // a client's
  }
}

}  // namespace

Node Family::blank(ServerId self) {
  Node node;
  node.self = self;
  return node;
}

Node Family::loaded(const Config&, const Rules&, ServerId self, const Durable& disk) {
  Node node = blank(self);
  load(node, disk);
  return node;
}

void Family::step(const Config& config, const Rules& rules, Node& node, const Input& input, Effects& out) {
  const Context ctx{config, rules, node, out};
  if (config.client) return stepClient(ctx, input);
  std::visit(Overloaded{
                 [&](const V::Start& started) { start(ctx, started.disk); },
                 [&](const V::TakeUp&) { takeUp(ctx); },
                 [&](const V::Received& received) { onReceived(ctx, received); },
                 [&](const V::Connected& connected) { onConnected(ctx, connected); },
                 [&](const V::Refused& refused) { onUnreachable(ctx, refused.peer); },
                 [&](const V::Disconnected& closed) { onDisconnected(ctx, closed); },
                 [&](const V::Fired& fired) { onTimer(ctx, fired.timer); },
                 [&](const V::Asked& asked) { onWriteAsked(ctx, asked.request); },
                 [&](const V::WriteFailed&) { ctx.exit("a write to the disk failed"); },
                 [&](const V::Prompt&) { onElectionTimeout(ctx); },
                 [&](const V::OwnAction&) {},
                 [&](const V::NowDurable&) {},
                 [&](const V::Age&) {},
             },
             input);
}

void Family::write(Durable& disk, const Record& record) {
  std::visit(Overloaded{
                 [&](const WriteVote& vote) {
                   disk.generation = vote.generation;
                   disk.voted_for = vote.voted_for;
                 },
                 [&](const WriteEntry& entry) { disk.log.push_back(entry.entry); },
                 [&](const Truncate& truncate) {
                   disk.log.resize(std::min(disk.log.size(), static_cast<std::size_t>(truncate.index)));
                 },
             },
             record);
}

bool Family::accepts(const Node& node, Link link) { return link == server_link || !node.client; }

}  // namespace zablab::leader_followers
