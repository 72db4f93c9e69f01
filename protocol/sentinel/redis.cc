#include "protocol/sentinel/redis.h"

#include <algorithm>

#include "protocol/overloaded.h"

namespace zablab::sentinel {
namespace {

constexpr Millis second_ms = 1000;

bool isMaster(const Context& ctx) { return ctx.redis().master == ctx.node.self; }

/// A replica connects to its master; if nothing comes of it, it does so again.
void connectToMaster(const Context& ctx) {
  ctx.redis().link_up = false;
  ctx.disconnect(replication_link, ctx.redis().master);
  ctx.connect(replication_link, ctx.redis().master);
  ctx.setTimer(TimerKind::sync, ctx.config.sync_timeout_ms);
}

void dropReplicas(const Context& ctx) {
  Redis& redis = ctx.redis();
  for (const ServerId replica : redis.replicas) ctx.disconnect(replication_link, replica);
  redis.replicas.clear();
  redis.lagging.clear();
  redis.reported.clear();
}

void tellRole(const Context& ctx, bool started) {
  const Redis& redis = ctx.redis();
  const RedisRole role = isMaster(ctx) ? RedisRole::master : RedisRole::replica;
  ctx.emit(RoleChanged{role, started, redis.master, offsetOf(redis.data)});
}

void begin(const Context& ctx) {
  if (!isMaster(ctx)) connectToMaster(ctx);
}

void onReplicaOf(const Context& ctx, const ReplicaOf& command) {
  Redis& redis = ctx.redis();
  const ServerId master = command.master.value_or(ctx.node.self);
  if (master == redis.master) return;
  if (!isMaster(ctx)) ctx.disconnect(replication_link, redis.master);
  dropReplicas(ctx);
  redis.master = master;
  redis.link_up = false;
  ctx.write(SaveMaster{master});
  tellRole(ctx, false);
  // CLIENT KILL: clients find out where the master is now.
  for (const ServerId client : ctx.config.clients) ctx.disconnect(client_link, client);
  ctx.cancelTimer(TimerKind::sync);
  ctx.cancelTimer(TimerKind::ack);
  begin(ctx);
}

void noteReport(const Context& ctx, ServerId replica) {
  if (ctx.config.min_replicas_to_write > 0) ctx.redis().reported[replica] = ctx.redis().second;
}

/// It looks once a second, and its clock has whole seconds: neither is in step with anything else.
void startClock(const Context& ctx) {
  if (ctx.config.min_replicas_to_write == 0) return;
  ctx.setTimer(TimerKind::second, 1, second_ms, no_server);
  ctx.setTimer(TimerKind::lag, 1, second_ms, no_server);
}

void lookForLag(const Context& ctx) {
  Redis& redis = ctx.redis();
  redis.lagging.clear();
  for (const auto& [replica, second] : redis.reported) {
    if (redis.second - second > ctx.config.min_replicas_max_lag_ms / second_ms) redis.lagging.insert(replica);
  }
  ctx.setTimer(TimerKind::lag, second_ms);
}

/// The connection ended, or was not made.
void onLinkLost(const Context& ctx, ServerId peer) {
  Redis& redis = ctx.redis();
  redis.replicas.erase(peer);
  redis.lagging.erase(peer);
  redis.reported.erase(peer);
  if (isMaster(ctx) || peer != redis.master) return;
  redis.link_up = false;
  ctx.cancelTimer(TimerKind::ack);
  ctx.setTimer(TimerKind::sync, ctx.config.sync_retry_ms);
}

void onPsync(const Context& ctx, ServerId replica) {
  Redis& redis = ctx.redis();
  if (!isMaster(ctx) && !redis.link_up) {
    // NOMASTERLINK: two that copy each other would lose each other's data. They have one connection here.
    ctx.disconnect(replication_link, replica);
    return onLinkLost(ctx, replica);
  }
  redis.replicas.insert(replica);
  redis.lagging.erase(replica);
  noteReport(ctx, replica);
  ctx.send(replication_link, replica, FullSync{redis.data});
}

void acknowledge(const Context& ctx) {
  if (ctx.config.min_replicas_to_write == 0) return;
  ctx.send(replication_link, ctx.redis().master, ReplicaAck{offsetOf(ctx.redis().data)});
  ctx.setTimer(TimerKind::ack, ctx.config.replica_ack_ms);
}

void onFullSync(const Context& ctx, ServerId from, const FullSync& sync) {
  Redis& redis = ctx.redis();
  if (from != redis.master) return;
  const auto common = std::mismatch(redis.data.begin(), redis.data.end(), sync.data.begin(), sync.data.end());
  const auto discarded = redis.data.end() - common.first;
  const bool keeps = ctx.rules.resync == Resync::keeps_more && redis.data.size() > sync.data.size();
  if (redis.data != sync.data && !keeps) {
    redis.data = sync.data;
    ctx.writeLater(ReplaceData{sync.data});
    dropReplicas(ctx);
  }
  redis.link_up = true;
  ctx.cancelTimer(TimerKind::sync);
  ctx.emit(Synced{from, offsetOf(redis.data), discarded});
  acknowledge(ctx);
}

/// A write that this server makes, or copies from its master.
void append(const Context& ctx, const Entry& entry) {
  Redis& redis = ctx.redis();
  redis.data.push_back(entry);
  ctx.writeLater(AppendEntry{entry});
  for (const ServerId replica : redis.replicas) ctx.send(replication_link, replica, Replicate{entry});
}

void onWrite(const Context& ctx, ServerId client, const WriteRequest& request) {
  Redis& redis = ctx.redis();
  WriteReply reply{request.number, WriteResult::ok, 0};
  const auto lagging = ctx.rules.reliable == Reliable::reporting ? std::ssize(redis.lagging) : 0;
  const auto reliable = std::ssize(redis.replicas) - lagging;
  if (!isMaster(ctx)) {
    reply.result = WriteResult::read_only;
  } else if (ctx.rules.writes_accepted == WritesAccepted::with_replicas &&
             reliable < ctx.config.min_replicas_to_write) {
    reply.result = WriteResult::no_replicas;
  } else {
    if (ctx.rules.write_done == WriteDone::executed) append(ctx, {client, request.number});
    reply.offset = offsetOf(redis.data);
  }
  ctx.send(client_link, client, reply);
}

/// A replica answers, too, with what it has.
void onRead(const Context& ctx, ServerId client, const ReadRequest& request) {
  const Data& data = ctx.redis().data;
  ctx.send(client_link, client,
           ReadReply{request.number, data.empty() ? 0 : data.back().number, offsetOf(data), isMaster(ctx)});
}

std::int64_t toldOffset(const Context& ctx) {
  return ctx.rules.offset_told == OffsetTold::zero ? 0 : offsetOf(ctx.redis().data);
}

void onReceived(const Context& ctx, ServerId from, const Message& message) {
  Redis& redis = ctx.redis();
  visit(Overloaded{
            [&](const Ping&) {
              redis.subscribers.insert(from);
              ctx.send(sentinel_link, from, Pong{});
            },
            [&](const Info&) {
              ctx.send(sentinel_link, from,
                       InfoReply{isMaster(ctx) ? RedisRole::master : RedisRole::replica, redis.master,
                                 redis.link_up, toldOffset(ctx), ctx.config.priority});
            },
            [&](const Hello& hello) {
              for (const ServerId sentinel : redis.subscribers) {
                if (sentinel != from) ctx.send(hello_link, sentinel, hello);
              }
            },
            [&](const ReplicaOf& command) { onReplicaOf(ctx, command); },
            [&](const Psync&) { onPsync(ctx, from); },
            [&](const FullSync& sync) { onFullSync(ctx, from, sync); },
            [&](const Replicate& replicate) {
              if (from == redis.master && redis.link_up) append(ctx, replicate.entry);
            },
            [&](const ReplicaAck&) {
              if (redis.replicas.contains(from)) noteReport(ctx, from);
            },
            [&](const WriteRequest& request) { onWrite(ctx, from, request); },
            [&](const ReadRequest& request) { onRead(ctx, from, request); },
            [](const auto&) {},  // no Redis server's
        },
        message);
}

void onTimer(const Context& ctx, const Timer& timer) {
  switch (timer.kind) {
    case TimerKind::sync:
      if (!isMaster(ctx) && !ctx.redis().link_up) connectToMaster(ctx);
      return;
    case TimerKind::ack:
      if (ctx.redis().link_up) acknowledge(ctx);
      return;
    case TimerKind::lag: return lookForLag(ctx);
    case TimerKind::second: ++ctx.redis().second; return ctx.setTimer(TimerKind::second, second_ms);
    default: return;
  }
}

}  // namespace

void stepRedis(const Context& ctx, const Input& input) {
  if (const auto* start = get_if<V::Start>(&input)) {
    ctx.node = Family::loaded(ctx.config, ctx.rules, ctx.node.self, start->disk);
    tellRole(ctx, true);
    startClock(ctx);
    return begin(ctx);
  }
  if (holds_alternative<V::TakeUp>(input)) {
    startClock(ctx);
    if (!ctx.redis().link_up) begin(ctx);
    return;
  }
  if (const auto* received = get_if<V::Received>(&input)) {
    onReceived(ctx, received->from, received->message);
  } else if (const auto* connected = get_if<V::Connected>(&input)) {
    if (connected->link == replication_link && connected->peer == ctx.redis().master)
      ctx.send(replication_link, connected->peer, Psync{});
  } else if (const auto* refused = get_if<V::Refused>(&input)) {
    if (refused->link == replication_link) onLinkLost(ctx, refused->peer);
  } else if (const auto* closed = get_if<V::Disconnected>(&input)) {
    if (closed->link == replication_link) onLinkLost(ctx, closed->peer);
    if (closed->link == sentinel_link) ctx.redis().subscribers.erase(closed->peer);
  } else if (const auto* fired = get_if<V::Fired>(&input)) {
    onTimer(ctx, fired->timer);
  } else if (holds_alternative<V::WriteFailed>(input)) {
    ctx.out.push_back(V::Exit{"a write to the disk failed"});
  }
}

}  // namespace zablab::sentinel
