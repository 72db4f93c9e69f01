#include "protocol/redis_cluster/parts.h"

namespace zablab::redis_cluster {
namespace {

constexpr std::int64_t redirections_max = 5;

void sendRequest(const Context& ctx) {
  const Pending& pending = *ctx.node.pending;
  const Request& request = pending.request;
  if (request.operation == Operation::write) {
    ctx.send(pending.asked, Set{request.slot, request.value, request.number}, client_link);
  } else {
    ctx.send(pending.asked, Get{request.slot, request.number}, client_link);
  }
}

void answer(const Context& ctx, Outcome outcome, std::int64_t value) {
  const Pending& pending = *ctx.node.pending;
  ctx.cancel(TimerKind::give_up);
  ctx.emit(Answered{pending.request.operation, pending.request.number, outcome, pending.request.slot, value,
                    pending.asked});
  ctx.node.pending.reset();
}

bool isAnswer(const Context& ctx, ServerId from, std::int64_t number) {
  const auto& pending = ctx.node.pending;
  const bool matches = ctx.rules.matches == Matches::any;
  return pending && (matches || pending->request.number == number) && pending->asked == from;
}

/// The owner of the slot in the cluster as it was created.
ServerId firstOwner(const Config& config, Slot slot) {
  for (const Member& member : config.members) {
    if (std::find(member.slots.begin(), member.slots.end(), slot) != member.slots.end()) return member.id;
  }
  return config.members.front().id;
}

ServerId after(const Config& config, ServerId id) {
  const auto& members = config.members;
  const auto at =
      std::find_if(members.begin(), members.end(), [id](const Member& member) { return member.id == id; });
  return at == members.end() || at + 1 == members.end() ? members.front().id : (at + 1)->id;
}

/// The next request asks another node, which knows the owner or not.
void turnAway(const Context& ctx) {
  const Pending& pending = *ctx.node.pending;
  ctx.node.believed[pending.request.slot] = after(ctx.config, pending.asked);
}

/// Whether this node executes requests for the slot now; if not, it has answered.
bool takes(const Context& ctx, ServerId client, Slot slot, std::int64_t number) {
  const auto owner = ctx.node.conf.slots.find(slot);
  if (!ctx.node.serves || owner == ctx.node.conf.slots.end()) {
    ctx.send(client, ClusterDown{number}, client_link);
    return false;
  }
  if (owner->second == ctx.node.self) return true;
  ctx.send(client, Moved{number, owner->second}, client_link);
  return false;
}

}  // namespace

void onAsked(const Context& ctx, const Request& request) {
  Node& node = ctx.node;
  if (node.pending) {
    return ctx.emit(Answered{request.operation, request.number, Outcome::busy, request.slot, 0, no_server});
  }
  if (!node.believed.contains(request.slot))
    node.believed[request.slot] = firstOwner(ctx.config, request.slot);
  node.pending = Pending{request, node.believed[request.slot], 0};
  ctx.emit(Invoked{request});
  ctx.set(TimerKind::give_up, ctx.config.request_limit_ms);
  sendRequest(ctx);
}

void onGiveUp(const Context& ctx) {
  if (!ctx.node.pending) return;
  turnAway(ctx);
  answer(ctx, Outcome::unknown, 0);
}

void onReply(const Context& ctx, ServerId from, const Reply& reply) {
  if (isAnswer(ctx, from, reply.number)) answer(ctx, Outcome::ok, reply.value);
}

void onMoved(const Context& ctx, ServerId from, const Moved& moved) {
  if (!isAnswer(ctx, from, moved.number) || ctx.node.pending->redirections == redirections_max) return;
  Pending& pending = *ctx.node.pending;
  ++pending.redirections;
  pending.asked = moved.to;
  ctx.node.believed[pending.request.slot] = moved.to;
  ctx.emit(Redirected{moved.number, from, moved.to});
  sendRequest(ctx);
}

void onClusterDown(const Context& ctx, ServerId from, const ClusterDown& down) {
  if (!isAnswer(ctx, from, down.number)) return;
  turnAway(ctx);
  answer(ctx, Outcome::refused, 0);
}

void onSet(const Context& ctx, ServerId from, const Set& set) {
  if (!takes(ctx, from, set.slot, set.number)) return;
  if (ctx.node.manual_replica != no_server && ctx.rules.manual_writes == ManualWrites::postponed) {
    ctx.node.postponed.push_back({from, {set.slot, set.value}, set.number});
    return;
  }
  if (ctx.rules.write_done == WriteDone::executed) execute(ctx, {set.slot, set.value});
  ctx.send(from, Reply{set.number, set.value}, client_link);
}

void onGet(const Context& ctx, ServerId from, const Get& get) {
  if (!takes(ctx, from, get.slot, get.number)) return;
  const auto& history = ctx.node.history;
  const auto last = std::find_if(history.rbegin(), history.rend(),
                                 [&](const Entry& entry) { return entry.slot == get.slot; });
  ctx.send(from, Reply{get.number, last == history.rend() ? 0 : last->value}, client_link);
}

}  // namespace zablab::redis_cluster
