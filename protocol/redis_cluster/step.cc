#include "protocol/overloaded.h"
#include "protocol/redis_cluster/parts.h"

namespace zablab::redis_cluster {
namespace {

void onMessage(const Context& ctx, ServerId from, const Message& message) {
  const auto bus = [&](const auto& packet, auto&& handle) {
    if (!ctx.node.conf.nodes.contains(from)) return;
    onHeader(ctx, from, packet.header);
    handle();
  };
  visit(
      Overloaded{
          [](monostate) {}, [&](const Ping& m) { bus(m, [&] { onPing(ctx, from, m); }); },
          [&](const Pong& m) { bus(m, [&] { onPong(ctx, from, m); }); },
          [&](const Fail& m) { bus(m, [&] { onFail(ctx, m); }); },
          [&](const AuthRequest& m) { bus(m, [&] { onAuthRequest(ctx, from, m); }); },
          [&](const AuthAck& m) { bus(m, [&] { onAuthAck(ctx, from, m); }); },
          [&](const MfStart& m) { bus(m, [&] { onMfStart(ctx, from); }); },
          [&](const Update& m) { bus(m, [&] { onUpdate(ctx, m); }); },
          [&](const Psync&) { onPsync(ctx, from); }, [&](const FullResync& m) { onFullResync(ctx, from, m); },
          [&](const Replicate& m) { onReplicate(ctx, from, m); },
          [&](const ReplPing&) { onReplPing(ctx, from); }, [&](const Set& m) { onSet(ctx, from, m); },
          [&](const Get& m) { onGet(ctx, from, m); }, [](const auto&) {},  // for clients
      },
      message);
}

void onTimer(const Context& ctx, const Timer& timer) {
  Node& node = ctx.node;
  switch (timer.kind) {
    case TimerKind::ping: return onPingTimer(ctx, timer.key);
    case TimerKind::silent: return onSilent(ctx, timer.key);
    case TimerKind::report_expires: node.reports.erase(timer.key); return;
    case TimerKind::fail_undo: node.seen[timer.key].fail_fresh = false; return;
    case TimerKind::vote_gap: std::erase(node.voted, timer.key); return;
    case TimerKind::election: return onElectionTimer(ctx);
    case TimerKind::auth_timeout: return onAuthTimeout(ctx);
    case TimerKind::auth_retry: return onAuthRetry(ctx);
    case TimerKind::rejoin:
      node.starting = false;
      node.minority = false;
      return;
    case TimerKind::relink: return dialMaster(ctx);
    case TimerKind::repl_ping: return onReplPingTimer(ctx);
    case TimerKind::manual_end: return onManualEnd(ctx);
    case TimerKind::acknowledged: return onAcknowledged(ctx);
    case TimerKind::give_up: return;
  }
}

void takeUp(const Context& ctx) {
  ctx.tellRole();
  startBus(ctx);
  startReplication(ctx);
  takeUpManual(ctx);
  if (!ctx.isMaster() || ctx.node.serves) return;
  ctx.node.starting = true;
  ctx.set(TimerKind::rejoin, ctx.config.start_wait_ms);
}

void stepClient(const Context& ctx, const Input& input) {
  if (const auto* asked = get_if<V::Asked>(&input)) return onAsked(ctx, asked->request);
  if (holds_alternative<V::Fired>(input)) return onGiveUp(ctx);
  const auto* received = get_if<V::Received>(&input);
  if (received == nullptr) return;
  visit(Overloaded{[&](const Reply& m) { onReply(ctx, received->from, m); },
                   [&](const Moved& m) { onMoved(ctx, received->from, m); },
                   [&](const ClusterDown& m) { onClusterDown(ctx, received->from, m); }, [](const auto&) {}},
        received->message);
}

}  // namespace

void Family::step(const Config& config, const Rules& rules, Node& node, const Input& input, Effects& out) {
  const Context ctx{config, rules, node, out};
  if (config.client) return stepClient(ctx, input);
  if (const auto* start = get_if<V::Start>(&input)) {
    node = loaded(config, rules, node.self, start->disk);
    takeUp(ctx);
  } else if (holds_alternative<V::TakeUp>(input)) {
    takeUp(ctx);
  } else if (const auto* received = get_if<V::Received>(&input)) {
    onMessage(ctx, received->from, received->message);
  } else if (const auto* connected = get_if<V::Connected>(&input)) {
    onLinked(ctx, connected->peer);
  } else if (const auto* refused = get_if<V::Refused>(&input)) {
    onUnlinked(ctx, refused->peer);
  } else if (const auto* closed = get_if<V::Disconnected>(&input)) {
    onUnlinked(ctx, closed->peer);
  } else if (const auto* asked = get_if<V::Asked>(&input)) {
    onCommanded(ctx, asked->request);
  } else if (const auto* age = get_if<V::Age>(&input)) {
    onAge(ctx, age->millis);
  } else if (const auto* fired = get_if<V::Fired>(&input)) {
    onTimer(ctx, fired->timer);
  }
  considerManual(ctx);
  considerFailover(ctx);
  updateState(ctx);
}

Node Family::loaded(const Config& config, const Rules&, ServerId self, const Durable& disk) {
  Node node = blank(self);
  node.conf = disk.conf;
  node.history = disk.history;
  if (!node.conf.nodes.empty()) return node;
  for (const Member& member : config.members) {
    node.conf.nodes[member.id] = {member.master, member.config_epoch};
    node.conf.current_epoch = std::max(node.conf.current_epoch, member.config_epoch);
    for (const Slot slot : member.slots) node.conf.slots[slot] = member.id;
  }
  for (const Member& member : config.members) {
    if (member.master != no_server)
      node.conf.nodes[member.id].config_epoch = node.conf.nodes[member.master].config_epoch;
  }
  return node;
}

void Family::write(Durable& disk, const Record& record) {
  visit(Overloaded{[&](const SaveConf& save) { disk.conf = save.conf; },
                   [&](const AppendEntry& append) { disk.history.push_back(append.entry); },
                   [&](const SaveHistory& save) { disk.history = save.history; }},
        record);
}

}  // namespace zablab::redis_cluster
