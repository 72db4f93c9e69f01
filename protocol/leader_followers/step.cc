// One input: first what holds for every role, then the part of the protocol that it concerns.
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

/// The generation that somebody is in, where a message says so: neither a candidate's that has to be weighed
/// first nor one that is only asked about.
std::int64_t generationOf(const Message& message) {
  return std::visit(Overloaded{
                        [](const VoteResponse& m) { return m.pre && m.granted ? 0 : m.generation; },
                        [](const Append& m) { return m.generation; },
                        [](const AppendResponse& m) { return m.generation; },
                        [](const auto&) { return std::int64_t{0}; },
                    },
                    message);
}

void onServerMessage(const Context& in, ServerId from, const Message& message) {
  const std::int64_t generation = generationOf(message);
  if (generation > in.node.generation)
    becomeFollower(in, std::nullopt, generation, RoleReason::higher_generation);
  std::visit(Overloaded{
                 [&](const VoteRequest& request) { onVoteRequest(in, from, request); },
                 [&](const VoteResponse& response) { onVoteResponse(in, from, response); },
                 [&](const Append& append) { onAppend(in, from, append); },
                 [&](const AppendResponse& response) { onAppendResponse(in, from, response); },
                 [&](const Forwarded& request) { onForwarded(in, from, request); },
                 [&](const ForwardedAnswer& answer) { onForwardedAnswer(in, answer); },
                 [&](const auto&) {},  // of the other link
             },
             message);
}

void onReceived(const Context& in, const V::Received& received) {
  if (received.link == server_link) return onServerMessage(in, received.from, received.message);
  if (const auto* request = std::get_if<ClientRequest>(&received.message))
    onClientRequest(in, received.from, *request);
}

void onConnected(const Context& in, const V::Connected& connected) {
  if (connected.link != server_link) return;
  askAgain(in, connected.peer);
  appendAgain(in, connected.peer);
}

void onDisconnected(const Context& in, const V::Disconnected& closed) {
  if (closed.link == client_link) return onClientGone(in, closed.peer);
  onServerGone(in, closed.peer);
  onUnreachable(in, closed.peer);
  askAgain(in, closed.peer);
}

void onTimer(const Context& in, const Timer& timer) {
  switch (timer.kind) {
    case TimerKind::election: return onElectionTimeout(in);
    case TimerKind::heartbeat: return onHeartbeat(in);
    case TimerKind::silent: return onSilent(in, timer.key);
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
  const Context in{config, rules, node, out};
  if (config.client) return stepClient(in, input);
  std::visit(
      Overloaded{
          [&](const V::Start& started) { start(in, started.disk); }, [&](const V::TakeUp&) { takeUp(in); },
          [&](const V::Received& received) { onReceived(in, received); },
          [&](const V::Connected& connected) { onConnected(in, connected); },
          [&](const V::Refused& refused) { onUnreachable(in, refused.peer); },
          [&](const V::Disconnected& closed) { onDisconnected(in, closed); },
          [&](const V::Fired& fired) { onTimer(in, fired.timer); },
          [&](const V::Asked& asked) { onWriteAsked(in, asked.request); },
          [&](const V::WriteFailed&) { in.exit("a write to the disk failed"); },
          [&](const V::Prompt&) { onElectionTimeout(in); },
          [&](const V::Elected&) {},                            // an election of which nothing is told
          [&](const V::NowDurable&) {}, [&](const V::Age&) {},  // it asks for none
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
