#include "skeleton.h"

#include <algorithm>
#include <utility>

#include "protocol/overloaded.h"

namespace skeleton_nodes {
namespace {

using V = Family::Vocabulary;

struct Context : zablab::StepContext<Family> {
  void toOthers(const Family::Message& message) const {
    for (const ServerId id : config.servers) {
      if (id != node.self) send(id, message);
    }
  }
};

// ---- servers

void save(const Context& ctx, std::int64_t term, ServerId voted_for) {
  ctx.node.saved = {term, voted_for};
  ctx.write(SaveTerm{term, voted_for});
}
void waitForLeader(const Context& ctx) {
  ctx.setTimerWithin(TimerKind::election, ctx.config.election_min_ms, ctx.config.election_max_ms);
}
void follow(const Context& ctx, std::int64_t term) {
  if (ctx.node.role == Role::LEADER) ctx.cancelTimer(TimerKind::heartbeat);
  ctx.node.role = Role::FOLLOWER;
  ctx.node.votes.clear();
  ctx.node.leader = no_server;
  save(ctx, term, no_server);
  waitForLeader(ctx);
}
void beat(const Context& ctx) {
  ctx.toOthers(Leads{ctx.node.saved.term});
  ctx.setTimer(TimerKind::heartbeat, ctx.config.heartbeat_ms);
}
void countVotes(const Context& ctx) {
  Node& node = ctx.node;
  if (2 * node.votes.size() <= ctx.config.servers.size()) return;
  node.role = Role::LEADER;
  node.leader = node.self;
  ctx.emit(Elected{node.saved.term, std::exchange(node.votes, {})});
  ctx.cancelTimer(TimerKind::election);
  beat(ctx);
}
void campaign(const Context& ctx) {
  Node& node = ctx.node;
  node.role = Role::CANDIDATE;
  node.leader = no_server;
  node.votes = {node.self};
  save(ctx, node.saved.term + 1, node.self);
  ctx.emit(Campaigns{node.saved.term});
  waitForLeader(ctx);
  ctx.toOthers(AskVote{node.saved.term});
  countVotes(ctx);
}

// One for each message; the term of a newer one has been adopted.

void on(const Context& ctx, ServerId from, const AskVote& asked) {
  const Durable& saved = ctx.node.saved;
  if (asked.term < saved.term || (saved.voted_for != no_server && saved.voted_for != from)) return;
  save(ctx, asked.term, from);
  waitForLeader(ctx);
  ctx.send(from, Vote{asked.term});
}
void on(const Context& ctx, ServerId from, const Vote& vote) {
  if (ctx.node.role != Role::CANDIDATE || vote.term != ctx.node.saved.term) return;
  ctx.node.votes.insert(from);
  countVotes(ctx);
}
void on(const Context& ctx, ServerId from, const Leads& leads) {
  if (leads.term < ctx.node.saved.term) return;
  ctx.node.role = Role::FOLLOWER;
  ctx.node.votes.clear();
  ctx.node.leader = from;
  waitForLeader(ctx);
}
void on(const Context& ctx, ServerId from, const AskLeader&) {
  if (ctx.node.leader != no_server) ctx.send(from, Leader{ctx.node.leader});
}
void on(const Context&, ServerId, monostate) {}

// ---- clients: they ask one server after the other

void askNext(const Context& ctx) {
  const auto& servers = ctx.config.servers;
  const auto next = std::upper_bound(servers.begin(), servers.end(), ctx.node.asked);
  ctx.node.asked = next == servers.end() ? servers.front() : *next;
  ctx.send(ctx.node.asked, AskLeader{});
  ctx.setTimer(TimerKind::retry, ctx.config.election_max_ms);
}
void on(const Context& ctx, ServerId, const Leader& leader) {
  if (!ctx.node.asking) return;
  const std::int64_t number = std::exchange(ctx.node.asking, std::nullopt)->number;
  ctx.cancelTimer(TimerKind::retry);
  ctx.emit(Answered{number, leader.id});
}

}  // namespace

Node Family::loaded(const Config& config, const Rules& rules, ServerId self, const Durable& disk) {
  Node node{.self = self, .role = config.client ? Role::CLIENT : Role::FOLLOWER, .saved = disk};
  if (rules.last_vote == LastVote::forgotten) node.saved.voted_for = no_server;
  return node;
}

void Family::write(Durable& disk, const Record& record) {
  const auto& [term, voted_for] = get<SaveTerm>(record);
  disk = {term, voted_for};
}

void Family::step(const Config& config, const Rules& rules, Node& node, const V::Input& input,
                  V::Effects& out) {
  const Context ctx{{config, rules, node, out}};
  visit(zablab::Overloaded{[&](const V::Start& start) {
                             node = loaded(config, rules, node.self, start.disk);
                             if (!config.client) waitForLeader(ctx);
                           },
                           [&](const V::Fired& fired) {
                             if (fired.timer.kind == TimerKind::retry) return askNext(ctx);
                             fired.timer.kind == TimerKind::heartbeat ? beat(ctx) : campaign(ctx);
                           },
                           [&](const V::Asked& asked) {
                             if (!config.client || node.asking) return;
                             node.asking = asked.request;
                             askNext(ctx);
                           },
                           [&](const V::Received& received) {
                             visit(
                                 [&](const auto& message) {
                                   if constexpr (requires { message.term; }) {
                                     if (message.term > node.saved.term) follow(ctx, message.term);
                                   }
                                   on(ctx, received.from, message);
                                 },
                                 received.message);
                           },
                           [](const auto&) {}},
        input);
}

}  // namespace skeleton_nodes
