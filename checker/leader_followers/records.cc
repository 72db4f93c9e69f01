#include "checker/leader_followers/records.h"

#include <algorithm>

namespace zablab::leader_followers {

void Records::on(const Happened<Family>& seen) {
  keepTime(seen);
  if (seen.node < 0) return;
  NodeRecord& memory = own(seen.node);
  switch (seen.kind) {
    case Kind::started:
      forgetInput();
      memory = {};
      memory.running = true;
      return;
    case Kind::stopped:
    case Kind::wiped: memory = {}; return;
    case Kind::taken_up:
      if (seen.disk != nullptr) memory = {};
      return forgetInput();
    case Kind::connected:
    case Kind::refused:
    case Kind::durable:
    case Kind::age:
    case Kind::timer:
    case Kind::write_failed: return forgetInput();
    case Kind::delivered: return read(seen);
    case Kind::closed: {
      forgetInput();
      if (isClient(seen.node)) {
        memory.connection_over = memory.connection_over || (memory.waits && memory.asked == seen.to);
        return;
      }
      const auto gone = [&](const Open& one) {
        return seen.link == client_link ? one.client == seen.to && one.via == no_server : one.via == seen.to;
      };
      std::erase_if(memory.open, [&](const auto& entry) { return gone(entry.first); });
      std::erase_if(memory.reads, gone);
      std::erase_if(memory.confirmed, [&](const auto& entry) { return gone(entry.first); });
      return;
    }
    case Kind::asked:
      forgetInput();
      if (!isClient(seen.node) || seen.request->operation == Operation::connect || memory.waits) return;
      memory.waits = seen.request->number;
      memory.began = sinceNow(seen.node);
      memory.asked = no_server;
      memory.connection_over = false;
      return;
    case Kind::sent: return onSent(seen);
    case Kind::event: return onEvent(seen);
    default: return;
  }
}

void Records::read(const Happened<Family>& seen) {
  NodeRecord& memory = own(seen.node);
  forgetInput();
  sender_ = id(seen.from);
  if (const auto* request = get_if<ClientRequest>(seen.content)) {
    arrives(memory, {sender_, request->number}, request->operation);
  } else if (const auto* forwarded = get_if<Forwarded>(seen.content)) {
    arrives(memory, {forwarded->client, forwarded->number, sender_}, forwarded->operation);
  } else if (const auto* reply = get_if<Reply>(seen.content)) {
    if (memory.waits == reply->number && reply->outcome == Outcome::refused) memory.asked = no_server;
  } else if (const auto* response = get_if<AppendResponse>(seen.content)) {
    if (memory.role != Role::LEADING || response->generation != memory.generation || !response->read) return;
    const auto last = std::find_if(memory.reads.begin(), memory.reads.end(), [&](const Open& one) {
      return one.client == response->read->client && one.number == response->read->number;
    });
    if (last == memory.reads.end()) return;
    for (auto one = memory.reads.begin(); one <= last; ++one) memory.confirmed[*one].insert(sender_);
  } else if (get_if<ForwardedReply>(seen.content) != nullptr) {
    input_ = *seen.content;  // nobody asks for the others
  }
}

void Records::arrives(NodeRecord& memory, const Open& request, Operation operation) {
  memory.open[request] = operation;
  if (memory.role == Role::LEADING && operation == Operation::read) memory.reads.push_back(request);
}

void Records::onSent(const Happened<Family>& seen) {
  NodeRecord& memory = own(seen.node);
  if (get_if<ClientRequest>(seen.content) != nullptr) memory.asked = seen.to;
  std::optional<Open> request;
  if (const auto* reply = get_if<Reply>(seen.content)) request = {seen.to, reply->number};
  if (const auto* reply = get_if<ForwardedReply>(seen.content))
    request = {reply->client, reply->number, seen.to};
  answered_.reset();
  if (!request) return;
  const auto there = memory.open.find(*request);
  if (there == memory.open.end()) return;
  answered_ = request;
  operation_ = there->second;
  confirmed_by_ = memory.confirmed[*request];
  confirmed_by_.insert(id(seen.node));
  forget(memory, *request);
}

void Records::forget(NodeRecord& memory, const Open& request) {
  memory.open.erase(request);
  memory.confirmed.erase(request);
  std::erase(memory.reads, request);
}

void Records::onEvent(const Happened<Family>& seen) {
  NodeRecord& memory = own(seen.node);
  if (const auto* answered = get_if<Answered>(seen.event)) {
    if (memory.waits == answered->number) memory.waits.reset();
  } else if (const auto* role = get_if<RoleChanged>(seen.event)) {
    memory.role = role->to;
    memory.generation = role->generation;
    memory.reads.clear();
    memory.confirmed.clear();
  }
}

}  // namespace zablab::leader_followers
