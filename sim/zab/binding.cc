#include "sim/zab/binding.h"

#include <algorithm>
#include <limits>
#include <set>
#include <string>

#include "protocol/zab/zoo_cfg.h"
#include "sim/asks.h"
#include "sim/binding_base.h"
#include "sim/json_reflect.h"

namespace zablab {
namespace {

zab::ZooCfg zooCfgOf(const zab::ScenarioFields& fields, const JsonValue& document) {
  zab::ZooCfg cfg = zab::parseZooCfg(*fields.zoo_cfg);
  if (!cfg.errors.empty()) {
    const zab::ZooCfgProblem& first = cfg.errors.front();
    throw document.keyError("zoo_cfg",
                            "zoo.cfg line " + std::to_string(first.line) + ", column " +
                                std::to_string(first.column) + ": " + first.text,
                            first.hint);
  }
  if (cfg.servers.empty())
    throw document.keyError("zoo_cfg", "zoo.cfg names no servers", "add lines server.1=host:2888:3888");
  if (cfg.servers.size() > servers_max)
    throw document.keyError("zoo_cfg", "zoo.cfg names more than " + std::to_string(servers_max) + " servers");
  return cfg;
}

zab::Config configOf(const zab::ZooCfg& cfg) {
  zab::Config config;
  config.tick_ms = cfg.tick_time_ms.value_or(config.tick_ms);
  config.init_limit = cfg.init_limit.value_or(config.init_limit);
  config.sync_limit = cfg.sync_limit.value_or(config.sync_limit);
  config.min_notification_ms = cfg.min_notification_ms.value_or(config.min_notification_ms);
  config.max_notification_ms = cfg.max_notification_ms.value_or(config.max_notification_ms);
  config.snap_count = cfg.snap_count.value_or(config.snap_count);
  return config;
}

}  // namespace

std::optional<std::vector<ServerSpec>> zab::serversOf(const ScenarioFields& fields,
                                                      const JsonValue& document) {
  if (!fields.zoo_cfg) return std::nullopt;
  const zab::ZooCfg cfg = zooCfgOf(fields, document);
  std::vector<ServerSpec> servers;
  for (const zab::ZooCfgServer& server : cfg.servers) {
    ServerFields own{.role = server.observer ? zab::ServerRole::observer : zab::ServerRole::voter};
    const auto weight = cfg.weights.find(server.id);
    if (weight != cfg.weights.end()) own.weight = weight->second;
    for (const auto& [group, members] : cfg.groups) {
      if (std::find(members.begin(), members.end(), server.id) != members.end()) own.group = group;
    }
    servers.push_back({.id = server.id, .own = JsonValue::fromJson(toCompactJson(own), "zoo.cfg").members()});
  }
  return servers;
}

std::string zab::nodeKind(const zab::Config& config, ServerId id) {
  const auto observes = [id](const zab::Member& member) { return member.id == id && member.observer; };
  const bool any = std::any_of(config.members.begin(), config.members.end(), observes);
  return std::string(enumName(any ? zab::ServerRole::observer : zab::ServerRole::voter));
}

void zab::checkConfig(const JsonValue& place, const zab::Config& config) {
  const Within within(place);
  const auto positive = [&](std::string_view key, std::int64_t value, std::int64_t max) {
    within(key, value, 1, max);
  };
  constexpr std::int64_t day_ms = Within::day_ms;
  within("tick_ms", config.tick_ms, 2, day_ms);  // a leader sends PING every half tick
  positive("init_limit", config.init_limit, 1'000'000);
  positive("sync_limit", config.sync_limit, 1'000'000);
  positive("finalize_wait_ms", config.finalize_wait_ms, day_ms);
  positive("min_notification_ms", config.min_notification_ms, day_ms);
  positive("max_notification_ms", config.max_notification_ms, day_ms);
  positive("connect_attempts", config.connect_attempts, 1000);
  positive("connect_retry_ms", config.connect_retry_ms, day_ms);
  positive("committed_log_max", config.committed_log_max, 1'000'000);
  positive("txn_bytes", config.txn_bytes, 1'000'000);
  within("log_file_min_bytes", config.log_file_min_bytes, 0, std::int64_t{1} << 40);
  within("snap_count", config.snap_count, 0, 1'000'000);
  within("snapshot_ms", config.snapshot_ms, 0, day_ms);
  within("log_to_snapshot_permille", config.log_to_snapshot_permille, -1, 1000);
  within("observer_delay_ms", config.observer_delay_ms, 0, day_ms);
  within("newleader_delay_ms", config.newleader_delay_ms, 0, day_ms);
  if (config.standalone && config.members.size() != 1)
    throw place.error("`standalone` is for a single server");
  checkMembers(place, config.members);
}

void zab::checkMembers(const JsonValue& place, const std::vector<zab::Member>& members) {
  constexpr std::int64_t sum_max = std::numeric_limits<std::int64_t>::max() / 2;  // sums are compared doubled
  std::int64_t sum = 0;
  std::set<ServerId> ids;
  for (const zab::Member& member : members) {
    if (member.weight < 0 || member.weight > sum_max - sum)
      throw place.error("weights are from 0, and add up to " + std::to_string(sum_max) + " at most");
    sum += member.weight;
    if (!ids.insert(member.id).second)
      throw place.error("there are two members " + std::to_string(member.id));
  }
}

namespace {

/// What every server states about its place in the ensemble. Throws InputError if it makes no sense.
std::vector<zab::ServerFields> placesOf(const std::vector<ServerSpec>& servers, const JsonValue& document) {
  std::vector<zab::ServerFields> places;
  bool anyone_votes = false;
  for (const ServerSpec& server : servers) {
    if (server.client) break;
    places.push_back(fieldsOf<zab::ServerFields>(server));
    const zab::ServerFields& place = places.back();
    anyone_votes = anyone_votes || place.role == zab::ServerRole::voter;
    const auto errorAtField = [&](std::string_view field, std::string message) {
      const auto says = [field](const JsonValue& member) { return member.key() == field; };
      return std::find_if(server.own.begin(), server.own.end(), says)->errorAtKey(std::move(message));
    };
    if (place.weight < 0 || place.weight > 1'000'000)
      throw errorAtField("weight", "a weight is from 0 to 1000000");
    for (const ServerId id : place.view ? place.view->list : std::vector<ServerId>{}) {
      const auto is = [id](const ServerSpec& other) { return other.id == id && !other.client; };
      if (std::none_of(servers.begin(), servers.end(), is))
        throw errorAtField("view", "there is no server " + std::to_string(id));
    }
  }
  if (!anyone_votes)
    throw document.keyError("servers",
                            "every server is an observer: only voters elect, and at least one must be one");
  return places;
}

}  // namespace

zab::Config zab::commonConfig(const Scenario& scenario, const JsonValue& document,
                              const std::vector<ServerSpec>& servers) {
  const auto fields = fieldsOf<zab::ScenarioFields>(scenario);
  zab::Config common = fields.zoo_cfg ? configOf(zooCfgOf(fields, document)) : zab::Config{};
  const std::vector<zab::ServerFields> places = placesOf(servers, document);
  for (std::size_t i = 0; i < places.size(); ++i) {
    const bool observes = places[i].role == zab::ServerRole::observer;
    common.members.push_back({servers[i].id, observes, places[i].weight, places[i].group});
  }
  std::sort(common.members.begin(), common.members.end(),
            [](const zab::Member& a, const zab::Member& b) { return a.id < b.id; });
  return common;
}

void zab::limitToView(zab::Config& config, const ServerSpec& server) {
  if (server.client) return;
  const auto view = fieldsOf<zab::ServerFields>(server).view;
  if (!view) return;
  std::erase_if(config.members, [&](const zab::Member& member) {
    return std::find(view->list.begin(), view->list.end(), member.id) == view->list.end();
  });
}

}  // namespace zablab
