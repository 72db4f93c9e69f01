#pragma once

#include "protocol/leader_followers/requests.h"

#include <algorithm>

#include "protocol/leader_followers/replication.h"

namespace zablab::leader_followers {
/// What clients read here, as far as this server has applied its log.
template <IsService S>
typename S::Result resultHere(const BasicServer<S>& node) {
  return S::read(node.log, node.commit_index);
}

template <class S>
void reply(const BasicContext<S>& ctx, const Accepted& request, Outcome outcome, Index index,
           const typename S::Result& result) {
  if (request.via == no_server) {
    ctx.send(client_link, request.client, BasicReply<S>{request.number, outcome, index, result});
  } else {
    ctx.send(server_link, request.via,
             BasicForwardedReply<S>{request.client, request.number, outcome, index, result});
  }
}

/// The request was not accepted, or its outcome cannot be known.
template <class S>
void replyWithout(const BasicContext<S>& ctx, const Accepted& request, Outcome outcome) {
  reply(ctx, request, outcome, 0, typename S::Result{});
}

/// A leader knows what is committed once an entry of its own generation is committed.
template <class S>
bool knowsCommitted(const BasicServer<S>& node) {
  return generationAt(node.log, node.commit_index) == node.generation;
}

/// Reads wait for what is committed when they arrive.
void noteReadIndex(const IsContext auto& ctx) {
  if (!knowsCommitted(ctx.node)) return;
  for (Accepted& read : ctx.node.reads) {
    if (read.index < 0) read.index = ctx.node.commit_index;
  }
}

template <class S>
void accept(const BasicContext<S>& ctx, ServerId client, ServerId via, Operation operation,
            const typename S::Value& value, std::int64_t number) {
  auto& node = ctx.node;
  if (operation == Operation::put) {
    node.writes.push_back({client, number, via, lastIndex(node.log) + 1});
    return appendOwn(ctx, BasicPayload<S>{value, client, number});
  }
  if (ctx.rules.reads_by == ReadsBy::leaders_memory)
    return reply(ctx, {client, number, via}, Outcome::ok, node.commit_index, resultHere(node));
  node.reads.push_back({client, number, via, -1, {node.self}});
  noteReadIndex(ctx);
  answerReady(ctx);  // a single server
  replicate(ctx);
}

template <class S>
void onClientRequest(const BasicContext<S>& ctx, ServerId client, const BasicClientRequest<S>& request) {
  auto& node = ctx.node;
  if (node.role == Role::LEADING)
    return accept(ctx, client, no_server, request.operation, request.value, request.number);
  if (request.operation == Operation::read && ctx.rules.reads_at == ReadsAt::any_server)
    return reply(ctx, {client, request.number}, Outcome::ok, node.commit_index, resultHere(node));
  if (!node.leader) return replyWithout(ctx, {client, request.number}, Outcome::refused);
  node.handed_on.push_back({client, request.number});
  ctx.say(*node.leader, BasicForwarded<S>{client, request.operation, request.value, request.number});
}

void onClientGone(const IsContext auto& ctx, ServerId client) {
  auto& node = ctx.node;
  const auto by = [client](const auto& request) { return request.client == client; };
  std::erase_if(node.writes, by);
  std::erase_if(node.reads, by);
  std::erase_if(node.handed_on, by);
}

template <class S>
void onWriteAsked(const BasicContext<S>& ctx, const BasicRequest<S>& request) {
  if (ctx.node.role == Role::LEADING && request.operation == Operation::put)
    appendOwn(ctx, BasicPayload<S>{request.value, no_server, request.number});
}

template <class S>
void onForwarded(const BasicContext<S>& ctx, ServerId follower, const BasicForwarded<S>& request) {
  if (ctx.node.role == Role::LEADING)
    return accept(ctx, request.client, follower, request.operation, request.value, request.number);
  replyWithout(ctx, {request.client, request.number, follower}, Outcome::refused);
}

template <class S>
void onForwardedReply(const BasicContext<S>& ctx, const BasicForwardedReply<S>& reply) {
  auto& handed_on = ctx.node.handed_on;
  const auto found = std::find(handed_on.begin(), handed_on.end(), HandedOn{reply.client, reply.number});
  if (found == handed_on.end()) return;
  handed_on.erase(found);
  ctx.send(client_link, reply.client, BasicReply<S>{reply.number, reply.outcome, reply.index, reply.value});
}

void onServerGone(const IsContext auto& ctx, ServerId server) {
  auto& node = ctx.node;
  const auto by = [server](const Accepted& request) { return request.via == server; };
  std::erase_if(node.writes, by);
  std::erase_if(node.reads, by);
  if (node.leader != server) return;
  for (const HandedOn& request : std::exchange(node.handed_on, {}))
    replyWithout(ctx, {request.client, request.number}, Outcome::unknown);
}

void confirmReads(const IsContext auto& ctx, ServerId by, const ReadMark& up_to) {
  auto& reads = ctx.node.reads;
  const auto last = std::find_if(reads.begin(), reads.end(), [&](const Accepted& read) {
    return read.client == up_to.client && read.number == up_to.number;
  });
  if (last == reads.end()) return;
  for (auto read = reads.begin(); read <= last; ++read) read->confirmed.insert(by);
  answerReady(ctx);
}

template <class S>
void answerReady(const BasicContext<S>& ctx) {
  auto& node = ctx.node;
  noteReadIndex(ctx);
  while (!node.writes.empty() && node.writes.front().index <= node.commit_index) {
    reply(ctx, node.writes.front(), Outcome::ok, node.writes.front().index, typename S::Result{});
    node.writes.erase(node.writes.begin());
  }
  const auto ready = [&](const Accepted& read) {
    return read.index >= 0 && ctx.config.isQuorum(read.confirmed.size());
  };
  while (!node.reads.empty() && ready(node.reads.front())) {
    reply(ctx, node.reads.front(), Outcome::ok, node.commit_index, resultHere(node));
    node.reads.erase(node.reads.begin());
  }
}

void giveUpRequests(const IsContext auto& ctx) {
  auto& node = ctx.node;
  for (const auto* list : {&node.writes, &node.reads}) {
    for (const Accepted& request : *list) replyWithout(ctx, request, Outcome::unknown);
  }
  for (const HandedOn& request : node.handed_on)
    replyWithout(ctx, {request.client, request.number}, Outcome::unknown);
  node.writes.clear();
  node.reads.clear();
  node.handed_on.clear();
}

}  // namespace zablab::leader_followers
