#include "raft.h"

#include <algorithm>

namespace raft {
namespace {

using V = Family::Vocabulary;

struct Context : zablab::StepContext<Family> {
  bool has(Bug bug) const { return rules.bug == bug; }
  void toOthers(const auto& visit) const {
    for (const ServerId id : config.servers) {
      if (id != node.self) visit(id);
    }
  }
};

// ---- every server

void save(const Context& ctx, Family::Record record) {
  Family::write(ctx.node.saved, record);
  ctx.write(std::move(record));
}
void waitForLeader(const Context& ctx) {
  ctx.setTimerWithin(TimerKind::election, ctx.config.election_min_ms, ctx.config.election_max_ms);
}
void follow(const Context& ctx, std::int64_t term, ServerId voted_for = no_server) {
  Node& node = ctx.node;
  if (node.role == Role::LEADER) {
    ctx.cancelTimer(TimerKind::heartbeat);
    waitForLeader(ctx);
  }
  const ServerId leader = term == node.saved.term ? node.leader : no_server;
  node = {.self = node.self, .saved = std::move(node.saved), .commit = node.commit, .leader = leader};
  if (term > node.saved.term) save(ctx, SaveTerm{term, voted_for});
}
void commit(const Context& ctx, std::int64_t index) {
  ctx.node.commit = index;
  ctx.emit(Committed{placeAt(ctx.node.saved.log, index)});
}

// ---- a leader

void replicate(const Context& ctx, ServerId to) {
  const auto& [term, voted_for, log] = ctx.node.saved;
  const std::int64_t previous = ctx.node.next.at(to) - 1;
  const std::int64_t end = std::min(previous + ctx.config.batch, std::ssize(log));
  ctx.send(
      to, Append{term, placeAt(log, previous), {log.begin() + previous, log.begin() + end}, ctx.node.commit});
}
void beat(const Context& ctx) {
  ctx.toOthers([&](ServerId to) { replicate(ctx, to); });
  ctx.setTimer(TimerKind::heartbeat, ctx.config.heartbeat_ms);
}
void answer(const Context& ctx, std::int64_t index) {
  const Log& log = ctx.node.saved.log;
  const Entry& entry = log[static_cast<std::size_t>(index - 1)];
  if (entry.client == no_server) return;
  std::int64_t value = 0;
  for (std::int64_t i = 0; i < index; ++i)
    value = written(log[static_cast<std::size_t>(i)].request).value_or(value);
  ctx.send(entry.client, Reply{entry.request.number, value, ctx.node.self});
}
void commitWhatAQuorumHas(const Context& ctx) {
  const Node& node = ctx.node;
  std::int64_t index = std::ssize(node.saved.log);
  const auto has = [&](const auto& match) { return match.second >= index; };
  while (!ctx.config.isQuorum(
      1 + static_cast<std::size_t>(std::count_if(node.match.begin(), node.match.end(), has))))
    --index;
  const bool is_own = placeAt(node.saved.log, index).term == node.saved.term;
  if (index <= node.commit || (!is_own && !ctx.has(Bug::commits_other_terms))) return;
  const std::int64_t before = node.commit;
  commit(ctx, index);
  for (std::int64_t i = before + 1; i <= index; ++i) answer(ctx, i);
}
void append(const Context& ctx, ServerId client, const Request& request) {
  save(ctx, SaveLog{std::ssize(ctx.node.saved.log), {{ctx.node.saved.term, client, request}}});
  beat(ctx);
  commitWhatAQuorumHas(ctx);
}
void countVotes(const Context& ctx) {
  Node& node = ctx.node;
  if (!ctx.config.isQuorum(node.votes.size())) return;
  node.role = Role::LEADER;
  node.leader = node.self;
  ctx.emit(Elected{node.saved.term, std::exchange(node.votes, {})});
  ctx.cancelTimer(TimerKind::election);
  if (ctx.has(Bug::cuts_its_log)) save(ctx, SaveLog{node.commit, {}});
  ctx.toOthers([&](ServerId id) {
    node.next[id] = std::ssize(node.saved.log) + 1;
    node.match[id] = 0;
  });
  append(ctx, no_server, {});
}

// ---- a candidate

void campaign(const Context& ctx) {
  Node& node = ctx.node;
  follow(ctx, node.saved.term + 1, node.self);
  node.role = Role::CANDIDATE;
  node.votes = {node.self};
  ctx.emit(Campaigns{node.saved.term});
  waitForLeader(ctx);
  ctx.toOthers([&](ServerId to) { ctx.send(to, RequestVote{node.saved.term, lastOf(node.saved.log)}); });
  countVotes(ctx);
}

// ---- messages; the term of a newer one has been adopted

void on(const Context& ctx, ServerId from, const RequestVote& asked) {
  const auto& [term, voted_for, log] = ctx.node.saved;
  const bool grants = asked.term == term && (voted_for == no_server || voted_for == from) &&
                      (asked.last >= lastOf(log) || ctx.has(Bug::ignores_logs));
  if (grants) {
    save(ctx, SaveTerm{term, from});
    ctx.emit(Voted{from, term});
    waitForLeader(ctx);
  }
  ctx.send(from, Vote{term, grants});
}
void on(const Context& ctx, ServerId from, const Vote& vote) {
  if (ctx.node.role != Role::CANDIDATE || vote.term != ctx.node.saved.term || !vote.granted) return;
  ctx.node.votes.insert(from);
  countVotes(ctx);
}
void on(const Context& ctx, ServerId from, const Append& told) {
  const Log& log = ctx.node.saved.log;
  std::int64_t index = told.previous.index;
  if (told.term == ctx.node.saved.term) {
    follow(ctx, told.term);
    ctx.node.leader = from;
    waitForLeader(ctx);
  }
  const bool matches = told.term == ctx.node.saved.term && index <= std::ssize(log) &&
                       (placeAt(log, index) == told.previous || ctx.has(Bug::trusts_its_leader));
  for (auto entry = told.entries.begin(); matches && entry != told.entries.end(); ++entry, ++index) {
    if (index < std::ssize(log) && placeAt(log, index + 1).term == entry->term) continue;
    save(ctx, SaveLog{index, {entry, told.entries.end()}});
    index = std::ssize(log);
    break;
  }
  if (matches && std::min(told.commit, index) > ctx.node.commit) commit(ctx, std::min(told.commit, index));
  ctx.send(from, Appended{ctx.node.saved.term, matches, index});
}
void on(const Context& ctx, ServerId from, const Appended& said) {
  if (ctx.node.role != Role::LEADER || said.term != ctx.node.saved.term) return;
  std::int64_t& next = ctx.node.next[from];
  std::int64_t& match = ctx.node.match[from];
  match = std::max(match, said.matches ? said.index : 0);
  next = std::max(match + 1, said.matches ? next : std::min(next, said.index));
  if (said.matches) commitWhatAQuorumHas(ctx);
  if (next <= std::ssize(ctx.node.saved.log)) replicate(ctx, from);
}
void on(const Context& ctx, ServerId from, const Ask& ask) {
  const Node& node = ctx.node;
  if (node.role != Role::LEADER) return ctx.send(from, Reply{ask.request.number, std::nullopt, node.leader});
  const Log& log = node.saved.log;
  const auto isAsked = [&](const Entry& entry) {
    return entry.client == from && entry.request == ask.request;
  };
  const std::int64_t index = std::find_if(log.begin(), log.end(), isAsked) - log.begin() + 1;
  const bool is_new = index > std::ssize(log);
  if (is_new) append(ctx, from, ask.request);
  if ((!is_new && index <= node.commit) || ctx.has(Bug::answers_at_once)) answer(ctx, index);
}

// ---- a client asks the leader that it knows of, or one server after the other

void ask(const Context& ctx, ServerId server) {
  ctx.node.leader = server;
  ctx.send(server, Ask{*ctx.node.asking});
  ctx.setTimer(TimerKind::retry, ctx.config.retry_ms);
}
/// After a while without an answer: what a server says of the leader may be out of date.
void askAnother(const Context& ctx) {
  const auto& servers = ctx.config.servers;
  const auto next = std::upper_bound(servers.begin(), servers.end(), ctx.node.turn);
  ctx.node.turn = next == servers.end() ? servers.front() : *next;
  ask(ctx, ctx.node.turn);
}
void on(const Context& ctx, ServerId from, const Reply& reply) {
  Node& node = ctx.node;
  if (!node.asking || reply.number != node.asking->number) return;
  if (reply.value) {
    const bool reads = !written(*node.asking);
    node.asking.reset();
    ctx.cancelTimer(TimerKind::retry);
    ctx.emit(Answered{reply.number, reads, *reply.value, from});
  } else if (reply.leader != no_server && reply.leader != node.leader) {
    ask(ctx, reply.leader);
  }
}
void on(const Context&, ServerId, monostate) {}

}  // namespace

Node Family::loaded(const Config& config, const Rules& rules, ServerId self, const Durable& disk) {
  Node node{.self = self, .role = config.client ? Role::CLIENT : Role::FOLLOWER, .saved = disk};
  if (rules.bug == Bug::forgets_its_vote) node.saved.voted_for = no_server;
  return node;
}

void Family::write(Durable& disk, const Record& record) {
  if (const auto* saved = get_if<SaveLog>(&record)) return replace(disk.log, saved->after, saved->entries);
  const auto& [term, voted_for] = get<SaveTerm>(record);
  disk.term = term;
  disk.voted_for = voted_for;
}

void Family::step(const Config& config, const Rules& rules, Node& node, const V::Input& input,
                  V::Effects& out) {
  const Context ctx{{config, rules, node, out}};
  visit(zablab::Overloaded{[&](const V::Start& start) {
                             node = loaded(config, rules, node.self, start.disk);
                             if (!config.client) waitForLeader(ctx);
                           },
                           [&](const V::Fired& fired) {
                             if (fired.timer.kind == TimerKind::retry) return askAnother(ctx);
                             fired.timer.kind == TimerKind::heartbeat ? beat(ctx) : campaign(ctx);
                           },
                           [&](const V::Asked& asked) {
                             if (!config.client || node.asking) return;
                             node.asking = asked.request;
                             ctx.emit(Invoked{asked.request});
                             node.leader == no_server ? askAnother(ctx) : ask(ctx, node.leader);
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

}  // namespace raft
