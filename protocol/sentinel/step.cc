// Handles one input of a node of each kind.

#include "protocol/overloaded.h"
#include "protocol/sentinel/client.h"
#include "protocol/sentinel/election.h"
#include "protocol/sentinel/failover.h"
#include "protocol/sentinel/monitoring.h"
#include "protocol/sentinel/redis.h"
#include "protocol/variant.h"

namespace zablab::sentinel {
namespace {

void onSentinelMessage(const Context& ctx, Link link, ServerId from, const Message& message) {
  if (link == sentinel_link) onAnyMessage(ctx, from);
  const bool watched = ctx.sentinel().instances.contains(from);
  visit(Overloaded{
            [&](const Ping&) { ctx.send(sentinel_link, from, Pong{}); },
            [&](const Pong&) {
              if (watched) onPong(ctx, from);
            },
            [&](const InfoReply& reply) {
              if (ctx.config.isRedis(from)) onInfoReply(ctx, from, reply);
            },
            [&](const Hello& hello) { onHello(ctx, hello); },
            [&](const IsMasterDown& request) { onIsMasterDown(ctx, from, request); },
            [&](const IsMasterDownReply& reply) {
              if (watched) onIsMasterDownReply(ctx, from, reply);
            },
            [](const auto&) {},  // no sentinel's
        },
        message);
}

/// Clients are told what the sentinel believes, even in the middle of a failover.
void onClientMessage(const Context& ctx, ServerId from, const Message& message) {
  if (!holds_alternative<GetMaster>(message)) return;
  const Sentinel& sentinel = ctx.sentinel();
  const bool promoted = sentinel.state == FailoverState::RECONF_REPLICAS;
  ctx.send(client_link, from, MasterIs{promoted ? *sentinel.promoted : sentinel.master});
}

void stepSentinel(const Context& ctx, const Input& input) {
  if (const auto* start = get_if<V::Start>(&input)) {
    startSentinel(ctx, start->disk);
  } else if (holds_alternative<V::TakeUp>(input)) {
    takeUpSentinel(ctx);
  } else if (const auto* received = get_if<V::Received>(&input)) {
    received->link == client_link ? onClientMessage(ctx, received->from, received->message)
                                  : onSentinelMessage(ctx, received->link, received->from, received->message);
  } else if (const auto* connected = get_if<V::Connected>(&input)) {
    onInstanceConnected(ctx, connected->peer);
  } else if (const auto* closed = get_if<V::Disconnected>(&input)) {
    if (closed->link == sentinel_link) onInstanceGone(ctx, closed->peer);
  } else if (const auto* age = get_if<V::Age>(&input)) {
    onTickGap(ctx, age->millis);
  } else if (const auto* fired = get_if<V::Fired>(&input)) {
    if (fired->timer.kind == TimerKind::tick) return onTick(ctx);
    fired->timer.key == no_server ? onFailoverTimer(ctx, fired->timer.kind)
                                  : onInstanceTimer(ctx, fired->timer.kind, fired->timer.key);
  }
}

}  // namespace

Node Family::loaded(const Config& config, const Rules&, ServerId self, const Durable& disk) {
  Node node = blank(self);
  const ServerId master = disk.master == no_server ? config.master : disk.master;
  if (config.kind == NodeKind::sentinel) {
    Sentinel& sentinel = node.sentinel.emplace();
    sentinel.current_epoch = disk.current_epoch;
    sentinel.config_epoch = disk.config_epoch;
    sentinel.vote.epoch = disk.leader_epoch;
    sentinel.master = master;
    const auto& known = config.known.empty() ? config.sentinels : config.known;
    sentinel.known.insert(known.begin(), known.end());
    sentinel.known.insert(disk.found.begin(), disk.found.end());
    sentinel.known.insert(self);
  } else if (config.kind == NodeKind::redis) {
    node.redis.emplace();
    node.redis->master = master;
    node.redis->data = disk.data;
  }
  return node;
}

void Family::step(const Config& config, const Rules& rules, Node& node, const Input& input, Effects& out) {
  const Context ctx{config, rules, node, out};
  switch (config.kind) {
    case NodeKind::sentinel: return stepSentinel(ctx, input);
    case NodeKind::redis: return stepRedis(ctx, input);
    case NodeKind::client: return stepClient(ctx, input);
  }
}

void Family::write(Durable& disk, const Record& record) {
  visit(Overloaded{
            [&](const SaveEpoch& save) { disk.current_epoch = save.epoch; },
            [&](const SaveVote& save) { disk.leader_epoch = save.epoch; },
            [&](const SaveConfig& save) {
              disk.config_epoch = save.epoch;
              disk.master = save.master;
            },
            [&](const SaveKnown& save) { disk.found.push_back(save.sentinel); },
            [&](const SaveMaster& save) { disk.master = save.master; },
            [&](const AppendEntry& append) { disk.data.push_back(append.entry); },
            [&](const ReplaceData& replace) { disk.data = replace.data; },
        },
        record);
}

bool Family::accepts(const Node& node, Link link) { return link != client_link || !node.client; }

}  // namespace zablab::sentinel
