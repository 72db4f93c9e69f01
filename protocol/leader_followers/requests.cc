#include "protocol/leader_followers/requests.h"

#include <algorithm>

#include "protocol/leader_followers/replication.h"

namespace zablab::leader_followers {
namespace {

/// The value that was put last, as far as this server has applied its log.
std::int64_t valueHere(const Node& node) {
  for (Index index = node.commit_index; index > 0; --index) {
    const Payload& payload = entryAt(node.log, index).payload;
    if (payload.number != 0) return payload.value;
  }
  return 0;
}

void answer(const Context& in, const Accepted& request, Outcome outcome, Index index, std::int64_t value) {
  if (request.via == no_server) {
    in.send(client_link, request.client, Answer{request.number, outcome, index, value});
  } else {
    in.send(server_link, request.via, ForwardedAnswer{request.client, request.number, outcome, index, value});
  }
}

/// A leader knows what is committed when an entry of its own generation is.
bool knowsCommitted(const Node& node) { return generationAt(node.log, node.commit_index) == node.generation; }

/// Reads wait for what is committed when they come.
void noteReadIndex(const Context& in) {
  if (!knowsCommitted(in.node)) return;
  for (Accepted& read : in.node.reads) {
    if (read.index < 0) read.index = in.node.commit_index;
  }
}

void accept(const Context& in, ServerId client, ServerId via, Operation operation, std::int64_t value,
            std::int64_t number) {
  Node& node = in.node;
  if (operation == Operation::put) {
    node.writes.push_back({client, number, via, lastIndex(node.log) + 1});
    return appendOwn(in, {value, client, number});
  }
  if (in.rules.reads_by == ReadsBy::leaders_memory)
    return answer(in, {client, number, via}, Outcome::ok, node.commit_index, valueHere(node));
  node.reads.push_back({client, number, via, -1, {node.self}});
  noteReadIndex(in);
  answerReady(in);  // of one server
  replicate(in);
}

}  // namespace

void onClientRequest(const Context& in, ServerId client, const ClientRequest& request) {
  Node& node = in.node;
  if (node.role == Role::LEADING)
    return accept(in, client, no_server, request.operation, request.value, request.number);
  if (request.operation == Operation::read && in.rules.reads_at == ReadsAt::any_server)
    return answer(in, {client, request.number}, Outcome::ok, node.commit_index, valueHere(node));
  if (!node.leader) return answer(in, {client, request.number}, Outcome::refused, 0, 0);
  node.handed_on.push_back({client, request.number});
  in.say(*node.leader, Forwarded{client, request.operation, request.value, request.number});
}

void onClientGone(const Context& in, ServerId client) {
  Node& node = in.node;
  const auto by = [client](const auto& request) { return request.client == client; };
  std::erase_if(node.writes, by);
  std::erase_if(node.reads, by);
  std::erase_if(node.handed_on, by);
}

void onWriteAsked(const Context& in, const Request& request) {
  if (in.node.role == Role::LEADING && request.operation == Operation::put)
    appendOwn(in, {request.value, no_server, request.number});
}

void onForwarded(const Context& in, ServerId follower, const Forwarded& request) {
  if (in.node.role == Role::LEADING)
    return accept(in, request.client, follower, request.operation, request.value, request.number);
  answer(in, {request.client, request.number, follower}, Outcome::refused, 0, 0);
}

void onForwardedAnswer(const Context& in, const ForwardedAnswer& answer) {
  auto& handed_on = in.node.handed_on;
  const auto found = std::find(handed_on.begin(), handed_on.end(), HandedOn{answer.client, answer.number});
  if (found == handed_on.end()) return;
  handed_on.erase(found);
  in.send(client_link, answer.client, Answer{answer.number, answer.outcome, answer.index, answer.value});
}

void onServerGone(const Context& in, ServerId server) {
  Node& node = in.node;
  const auto by = [server](const Accepted& request) { return request.via == server; };
  std::erase_if(node.writes, by);
  std::erase_if(node.reads, by);
  if (node.leader != server) return;
  for (const HandedOn& request : std::exchange(node.handed_on, {}))
    answer(in, {request.client, request.number}, Outcome::unknown, 0, 0);
}

void confirmReads(const Context& in, ServerId by, const ReadMark& up_to) {
  auto& reads = in.node.reads;
  const auto last = std::find_if(reads.begin(), reads.end(), [&](const Accepted& read) {
    return read.client == up_to.client && read.number == up_to.number;
  });
  if (last == reads.end()) return;
  for (auto read = reads.begin(); read <= last; ++read) read->confirmed.insert(by);
  answerReady(in);
}

void answerReady(const Context& in) {
  Node& node = in.node;
  noteReadIndex(in);
  while (!node.writes.empty() && node.writes.front().index <= node.commit_index) {
    answer(in, node.writes.front(), Outcome::ok, node.writes.front().index, 0);
    node.writes.erase(node.writes.begin());
  }
  const auto ready = [&](const Accepted& read) {
    return read.index >= 0 && in.config.isQuorum(read.confirmed.size());
  };
  while (!node.reads.empty() && ready(node.reads.front())) {
    answer(in, node.reads.front(), Outcome::ok, node.commit_index, valueHere(node));
    node.reads.erase(node.reads.begin());
  }
}

void giveUpRequests(const Context& in) {
  Node& node = in.node;
  for (const auto* list : {&node.writes, &node.reads}) {
    for (const Accepted& request : *list) answer(in, request, Outcome::unknown, 0, 0);
  }
  for (const HandedOn& request : node.handed_on)
    answer(in, {request.client, request.number}, Outcome::unknown, 0, 0);
  node.writes.clear();
  node.reads.clear();
  node.handed_on.clear();
}

}  // namespace zablab::leader_followers
