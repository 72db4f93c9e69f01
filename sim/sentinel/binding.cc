#include "sim/sentinel/binding.h"

#include <algorithm>
#include <set>

#include "sim/asks.h"
#include "sim/calls.h"
#include "sim/json_reflect.h"
#include "sim/sentences.h"

namespace zablab {

namespace {

using F = sentinel::Family;
using B = Binding<F>;

bool contains(const std::vector<ServerId>& list, ServerId id) {
  return std::find(list.begin(), list.end(), id) != list.end();
}

}  // namespace

F::Request B::request(const Asks& asks, AskContext context) {
  if (const auto* read = get_if<sentinel::asks::Read>(&asks)) {
    return {.operation = sentinel::Operation::read,
            .number = context.number,
            .server = read->to.value_or(no_server)};
  }
  const auto& write = get<sentinel::asks::Write>(asks);
  return {.operation = sentinel::Operation::write,
          .number = write.number.value_or(context.number),
          .server = write.to.value_or(no_server)};
}

B::Asks B::asking(const F::Request& request) {
  const auto to = request.server == no_server ? std::nullopt : std::optional(request.server);
  if (request.operation == sentinel::Operation::read) return sentinel::asks::Read{to};
  return sentinel::asks::Write{request.number, to};
}

Json B::header() {
  return {
      {"roles", {{"master", "leading"}, {"replica", "following"}}},
      {"attempts", {{{"kind", "try_failover"}}}},
      {"timers",
       {{"tick", {"tick_min_ms to tick_max_ms"}},
        {"ping", {"ping_ms", "down_after_ms"}},
        {"down", {"down_after_ms", "down_after_ms / 2"}},
        {"reconnect", {"ping_ms"}},
        {"info", {"info_ms"}},
        {"info_soon", {"info_in_failover_ms"}},
        {"hello", {"hello_ms"}},
        {"ask", {"ask_ms"}},
        {"failover", {"failover_timeout_ms"}},
        {"gate", {"failover_timeout_ms × 2 to failover_timeout_ms × 2 + desync_max_ms"}},
        {"tilt", {"tilt_ms"}},
        {"sync", {"sync_retry_ms", "sync_timeout_ms"}}}},
      {"elections", {{{"kind", "elected"}}}},
      {"phases", Json::object()},
      {"label", "what it says"},
      {"message_groups", messageGroups()},
      {"heartbeats", {"PING", "PONG", "INFO", "INFO_REPLY", "HELLO", "REPLICA_ACK"}},
      {"folded_in_stories", {"PSYNC", "FULL_SYNC", "GET_MASTER", "MASTER_IS"}},
      {"milestones",
       {"sdown", "odown", "try_failover", "vote", "elected", "selected_replica", "failover_aborted",
        "promoted_replica", "switch_master", "corrected", "role", "synced_with_master", "asked", "answered"}},
      {"calls",
       callsOf("number", {{"write", {{"f", "write"}, {"takes", {"number"}}}}, {"read", read_of_value}})},
      {"state_rows", {"elected", "promoted_replica"}},
      {"state_picture", "writes"},
      {"facts",
       {{{"field", "sentinel.current_epoch"}, {"name", {{"en", "epoch"}, {"zh", "纪元"}}}},
        {{"field", "sentinel.config_epoch"}, {"name", {{"en", "configuration"}, {"zh", "配置纪元"}}}},
        {{"field", "sentinel.master"}, {"node", true}, {"name", {{"en", "master"}, {"zh", "主服务器"}}}},
        {{"field", "sentinel.state"}, {"name", {{"en", "failover"}, {"zh", "故障转移"}}}},
        {{"field", "redis.master"}, {"node", true}, {"name", {{"en", "copies"}, {"zh", "复制自"}}}}}}};
}

std::vector<std::string> B::narrate(const Trace& trace) {
  std::vector<std::string> lines;
  for (const TraceEvent& event : trace.events) {
    const bool tells = event.kind == "elected" || event.kind == "promoted_replica" ||
                       event.kind == "switch_master" || event.kind == "failover_aborted";
    if (tells && !event.text.empty())
      lines.push_back("at " + std::to_string(event.time) + " ms " + event.text);
  }
  return lines;
}

Json B::logPicture(const F::Node& node, const F::Durable& disk) {
  if (!node.redis) return nullptr;
  const sentinel::Data& data = node.redis->data;
  return lastCells(phrase("writes"), data.size(), [&](std::size_t i) -> LogCell {
    const bool durable = i < disk.data.size() && disk.data[i] == data[i];
    return {std::to_string(data[i].number), durable ? "durable" : "proposed"};
  });
}

std::vector<Opened> B::arrange(const Cluster<F>& cluster, std::vector<std::optional<F::Node>>& placed) {
  std::vector<Opened> opened;
  const int n = cluster.serverCount();
  const auto at = [&](int i) -> std::optional<F::Node>& { return placed[static_cast<std::size_t>(i)]; };
  for (int a = 0; a < n; ++a) {
    for (int b = a + 1; b < n; ++b) {
      if (!at(a) || !at(b)) continue;
      bool any = false;
      for (const auto& [one, other] : {std::pair{a, b}, std::pair{b, a}}) {
        const ServerId peer = cluster.ids[static_cast<std::size_t>(other)];
        if (at(one)->sentinel && at(one)->sentinel->instances.contains(peer)) {
          at(one)->sentinel->instances.at(peer).connected = true;
          if (at(other)->redis)
            at(other)->redis->subscribers.insert(cluster.ids[static_cast<std::size_t>(one)]);
          any = true;
        }
        if (at(one)->redis && at(other)->redis && at(one)->redis->master == peer) {
          opened.push_back({sentinel::replication_link, a, b});
          at(one)->redis->link_up = true;
          at(other)->redis->replicas.insert(cluster.ids[static_cast<std::size_t>(one)]);
        }
      }
      if (any) opened.push_back({sentinel::sentinel_link, a, b});
    }
  }
  return opened;
}

void B::checkState(const JsonValue& place, ServerId id, const F::Node& node) {
  if (node.self != id) throw place.keyError("self", "`self` is the server's own id, " + std::to_string(id));
  if (node.client) throw place.error("a server is no client", "clients are listed under `clients`");
  if (node.sentinel && node.redis) throw place.error("a server is either a sentinel or a Redis server");
  if (!node.sentinel && !node.redis) throw place.error("a server is a sentinel or a Redis server");
  if (!node.sentinel) return;
  std::set<ServerId> needed = node.sentinel->known;
  needed.erase(id);
  needed.insert(node.sentinel->master);
  if (node.sentinel->promoted) needed.insert(*node.sentinel->promoted);
  for (const ServerId one : needed) {
    if (!node.sentinel->instances.contains(one))
      throw place.error("`instances` lacks " + std::to_string(one),
                        "every known sentinel and the master have an entry there");
  }
  if (node.sentinel->state > sentinel::FailoverState::SELECT_REPLICA && !node.sentinel->promoted)
    throw place.error("`promoted` is missing");
}

void B::checkConfig(const JsonValue& place, const F::Config& config) {
  constexpr std::int64_t day_ms = Within::day_ms;
  const Within within(place);
  within("quorum", config.quorum, 1, 1'000'000);  // also more than there are sentinels, as Redis does
  within("parallel_syncs", config.parallel_syncs, 1, 100);
  within("priority", config.priority, 0, 1'000'000);
  within("min_replicas_to_write", config.min_replicas_to_write, 0, 100);
  within("desync_max_ms", config.desync_max_ms, 0, day_ms);
  within("tilt_trigger_ms", config.tilt_trigger_ms, 0, day_ms);
  if (config.tick_max_ms < config.tick_min_ms)
    throw place.error("`tick_max_ms` must not be less than `tick_min_ms`");
  forEachField(config, [&](std::string_view key, const auto& value) {
    if constexpr (std::is_same_v<std::decay_t<decltype(value)>, Millis>) {
      const bool may_be_0 = key == "desync_max_ms" || key == "tilt_trigger_ms";
      if (key.ends_with("_ms") && !may_be_0) within(key, value, 1, day_ms);
    }
  });
  if (!contains(config.redis, config.master))
    throw place.error("`master` is no Redis server", "servers with \"kind\": \"redis\" are Redis servers");
  for (const ServerId known : config.known) {
    if (!contains(config.sentinels, known))
      throw place.keyError("known", std::to_string(known) + " is no sentinel");
  }
}

std::vector<F::Config> B::configs(const Scenario& scenario, const JsonValue& document,
                                  const std::vector<ServerSpec>& servers) {
  F::Config common;
  std::vector<sentinel::NodeKind> kinds;
  for (const ServerSpec& server : servers) {
    const auto kind =
        server.client ? sentinel::NodeKind::client : fieldsOf<sentinel::ServerFields>(server).kind;
    kinds.push_back(kind);
    switch (kind) {
      case sentinel::NodeKind::sentinel: common.sentinels.push_back(server.id); break;
      case sentinel::NodeKind::redis: common.redis.push_back(server.id); break;
      case sentinel::NodeKind::client:
        if (!server.client) throw document.error("clients are listed under `clients`");
        common.clients.push_back(server.id);
        break;
    }
  }
  if (common.sentinels.empty()) throw document.error("there is no sentinel among the servers");
  if (common.redis.empty())
    throw document.error("there is no Redis server", R"(as in {"id": 4, "kind": "redis"})");
  std::sort(common.sentinels.begin(), common.sentinels.end());
  std::sort(common.redis.begin(), common.redis.end());
  common.master = common.redis.front();
  common.quorum = std::ssize(common.sentinels) / 2 + 1;
  return configsOf(
      scenario, servers, common, [&](F::Config& config, std::size_t i) { config.kind = kinds[i]; },
      &F::Config::kind, &F::Config::sentinels, &F::Config::redis, &F::Config::clients);
}

}  // namespace zablab
