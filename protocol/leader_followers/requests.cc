#include "protocol/leader_followers/requests.h"

#include <algorithm>

#include "protocol/leader_followers/replication.h"

namespace zablab::leader_followers {
namespace {

/// The last value put, as far as this server has applied its log.
std::int64_t valueHere(const Node& node) {
  for (Index index = node.commit_index; index > 0; --index) {
    const Payload& payload = entryAt(node.log, index).payload;
    if (payload.number != 0) return payload.value;
  }
  return 0;
}

void reply(const Context& ctx, const Accepted& request, Outcome outcome, Index index, std::int64_t value) {
  if (request.via == no_server) {
    ctx.send(client_link, request.client, Reply{request.number, outcome, index, value});
  } else {
    ctx.send(server_link, request.via, ForwardedReply{request.client, request.number, outcome, index, value});
  }
}

/// A leader knows what is committed once an entry of its own generation is committed.
bool knowsCommitted(const Node& node) { return generationAt(node.log, node.commit_index) == node.generation; }

/// Reads wait for what is committed when they arrive.
void noteReadIndex(const Context& ctx) {
  if (!knowsCommitted(ctx.node)) return;
  for (Accepted& read : ctx.node.reads) {
    if (read.index < 0) read.index = ctx.node.commit_index;
  }
}

void accept(const Context& ctx, ServerId client, ServerId via, Operation operation, std::int64_t value,
            std::int64_t number) {
  Node& node = ctx.node;
  if (operation == Operation::put) {
    node.writes.push_back({client, number, via, lastIndex(node.log) + 1});
    return appendOwn(ctx, {value, client, number});
  }
  if (ctx.rules.reads_by == ReadsBy::leaders_memory)
    return reply(ctx, {client, number, via}, Outcome::ok, node.commit_index, valueHere(node));
  node.reads.push_back({client, number, via, -1, {node.self}});
  noteReadIndex(ctx);
  answerReady(ctx);  // a single server
  replicate(ctx);
}

}  // namespace

void onClientRequest(const Context& ctx, ServerId client, const ClientRequest& request) {
  Node& node = ctx.node;
  if (node.role == Role::LEADING)
    return accept(ctx, client, no_server, request.operation, request.value, request.number);
  if (request.operation == Operation::read && ctx.rules.reads_at == ReadsAt::any_server)
    return reply(ctx, {client, request.number}, Outcome::ok, node.commit_index, valueHere(node));
  if (!node.leader) return reply(ctx, {client, request.number}, Outcome::refused, 0, 0);
  node.handed_on.push_back({client, request.number});
  ctx.say(*node.leader, Forwarded{client, request.operation, request.value, request.number});
}

void onClientGone(const Context& ctx, ServerId client) {
  Node& node = ctx.node;
  const auto by = [client](const auto& request) { return request.client == client; };
  std::erase_if(node.writes, by);
  std::erase_if(node.reads, by);
  std::erase_if(node.handed_on, by);
}

void onWriteAsked(const Context& ctx, const Request& request) {
  if (ctx.node.role == Role::LEADING && request.operation == Operation::put)
    appendOwn(ctx, {request.value, no_server, request.number});
}

void onForwarded(const Context& ctx, ServerId follower, const Forwarded& request) {
  if (ctx.node.role == Role::LEADING)
    return accept(ctx, request.client, follower, request.operation, request.value, request.number);
  reply(ctx, {request.client, request.number, follower}, Outcome::refused, 0, 0);
}

void onForwardedReply(const Context& ctx, const ForwardedReply& reply) {
  auto& handed_on = ctx.node.handed_on;
  const auto found = std::find(handed_on.begin(), handed_on.end(), HandedOn{reply.client, reply.number});
  if (found == handed_on.end()) return;
  handed_on.erase(found);
  ctx.send(client_link, reply.client, Reply{reply.number, reply.outcome, reply.index, reply.value});
}

void onServerGone(const Context& ctx, ServerId server) {
  Node& node = ctx.node;
  const auto by = [server](const Accepted& request) { return request.via == server; };
  std::erase_if(node.writes, by);
  std::erase_if(node.reads, by);
  if (node.leader != server) return;
  for (const HandedOn& request : std::exchange(node.handed_on, {}))
    reply(ctx, {request.client, request.number}, Outcome::unknown, 0, 0);
}

void confirmReads(const Context& ctx, ServerId by, const ReadMark& up_to) {
  auto& reads = ctx.node.reads;
  const auto last = std::find_if(reads.begin(), reads.end(), [&](const Accepted& read) {
    return read.client == up_to.client && read.number == up_to.number;
  });
  if (last == reads.end()) return;
  for (auto read = reads.begin(); read <= last; ++read) read->confirmed.insert(by);
  answerReady(ctx);
}

void answerReady(const Context& ctx) {
  Node& node = ctx.node;
  noteReadIndex(ctx);
  while (!node.writes.empty() && node.writes.front().index <= node.commit_index) {
    reply(ctx, node.writes.front(), Outcome::ok, node.writes.front().index, 0);
    node.writes.erase(node.writes.begin());
  }
  const auto ready = [&](const Accepted& read) {
    return read.index >= 0 && ctx.config.isQuorum(read.confirmed.size());
  };
  while (!node.reads.empty() && ready(node.reads.front())) {
    reply(ctx, node.reads.front(), Outcome::ok, node.commit_index, valueHere(node));
    node.reads.erase(node.reads.begin());
  }
}

void giveUpRequests(const Context& ctx) {
  Node& node = ctx.node;
  for (const auto* list : {&node.writes, &node.reads}) {
    for (const Accepted& request : *list) reply(ctx, request, Outcome::unknown, 0, 0);
  }
  for (const HandedOn& request : node.handed_on)
    reply(ctx, {request.client, request.number}, Outcome::unknown, 0, 0);
  node.writes.clear();
  node.reads.clear();
  node.handed_on.clear();
}

}  // namespace zablab::leader_followers
