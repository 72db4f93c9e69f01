#include "sim/zab_register/binding.h"

#include <algorithm>
#include <set>

#include "protocol/zab_register/mutations.h"
#include "protocol/zab/zoo_cfg.h"

namespace zablab {
namespace {

using B = Binding<zab::Family>;

RuleTables<zab::Rules> tables() { return {zab::variants(), zab::ruleValues(), zab::mutations()}; }

zab::ZooCfg zooCfgOf(const Scenario& scenario, const JsonValue& document) {
  zab::ZooCfg cfg = zab::parseZooCfg(*scenario.zoo_cfg);
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

zab::Request B::request(const Asking& asking) {
  const bool puts = asking.word.empty() || asking.word == "write";
  return {*enumFromName<zab::Operation>(puts ? "put" : asking.word), asking.value.value_or(0), asking.number,
          asking.server.value_or(no_server)};
}

Asking B::asking(const zab::Request& request) {
  Asking asking{.word = std::string(enumName(request.operation)), .value = request.value};
  if (request.operation == zab::Operation::put) asking.word.clear();
  if (request.server != no_server) asking.server = request.server;
  asking.number = request.number;
  return asking;
}

Json B::header() {
  return {{"roles",
           {{"LOOKING", "seeking"},
            {"FOLLOWING", "following"},
            {"LEADING", "leading"},
            {"OBSERVING", "observing"}}},
          {"phases", {{"discovery", "syncing"}, {"synchronization", "syncing"}}},
          {"label", "(round, candidate, its last zxid)"},
          {"message_groups", zab::messageGroups()},
          {"heartbeats", Json::array({std::string(zab::Ping::name)})}};
}

Json B::logPicture(const zab::Node& node, const zab::Durable& disk) {
  constexpr std::size_t cells_max = 5;
  // What is known here to be committed: the history of a server that serves.
  const auto isCommitted = [&](const zab::Txn& txn) {
    return node.serves() && std::find(node.history.rbegin(), node.history.rend(), txn) != node.history.rend();
  };
  const auto isDurable = [&](const zab::Txn& txn) {
    return (disk.snapshot && txn.zxid <= disk.snapshot->last) ||
           std::find(disk.log.rbegin(), disk.log.rend(), txn) != disk.log.rend();
  };
  std::vector<zab::Txn> entries = node.history;
  for (const zab::Txn& txn : node.files.log) {
    if (entries.empty() || txn.zxid > entries.back().zxid) entries.push_back(txn);
  }
  if (entries.empty() || node.client) return nullptr;
  Json cells = Json::array();
  const std::size_t first = entries.size() > cells_max ? entries.size() - cells_max : 0;
  if (first > 0) cells.push_back({{"text", "…"}, {"mark", "plain"}});
  for (std::size_t i = first; i < entries.size(); ++i) {
    const zab::Txn& txn = entries[i];
    const char* mark = isCommitted(txn) ? "committed" : isDurable(txn) ? "durable" : "proposed";
    cells.push_back({{"text", zab::text(txn.zxid)}, {"mark", mark}});
  }
  return {{"caption", "log"}, {"cells", std::move(cells)}};
}

NamesAndTexts B::variantTexts() { return textsOf(tables().variants); }
NamesAndTexts B::ruleTexts() { return textsOf(tables().values); }
NamesAndTexts B::mutationTexts() { return textsOf(tables().mutations); }

std::vector<ServerSpec> B::servers(const Scenario& scenario, const JsonValue& document) {
  const auto withClients = [&](std::vector<ServerSpec> servers) {
    for (ServerSpec& client : clientsOf(scenario)) servers.push_back(std::move(client));
    return servers;
  };
  if (scenario.servers) return withClients(scenario.servers->list);
  const zab::ZooCfg cfg = zooCfgOf(scenario, document);
  std::vector<ServerSpec> servers;
  for (const zab::ZooCfgServer& server : cfg.servers) {
    ServerSpec spec{.id = server.id, .role = server.observer ? "observer" : "voter"};
    const auto weight = cfg.weights.find(server.id);
    if (weight != cfg.weights.end()) spec.weight = weight->second;
    for (const auto& [group, members] : cfg.groups) {
      if (std::find(members.begin(), members.end(), server.id) != members.end()) spec.group = group;
    }
    servers.push_back(std::move(spec));
  }
  return withClients(std::move(servers));
}

std::vector<B::Opened> B::arrange(const Cluster<zab::Family>& cluster,
                                  std::vector<std::optional<zab::Node>>& placed) {
  std::vector<Opened> opened;
  const auto orElse = [](auto& field, auto value) {
    if (field == std::decay_t<decltype(field)>{}) field = value;
  };
  for (auto& node : placed) {
    if (!node || !node->serves()) continue;
    orElse(node->epoch, node->currentEpoch());
    if (node->role != zab::Role::LEADING) continue;
    const auto start = zab::Zxid::of(node->epoch, 0);
    node->last_processed = std::max(node->last_processed, start);
    orElse(node->last_committed, node->last_processed);
    node->epoch_fixed = node->promised = true;
    const auto& log = node->files.log;
    orElse(node->last_proposed, std::max(log.empty() ? start : log.back().zxid, start));
  }
  for (std::size_t i = 0; i < placed.size(); ++i) {
    auto& node = placed[i];
    if (!node || !node->learns() || !node->serves()) continue;
    const int leader = cluster.indexOf(*node->leader);
    const auto at = static_cast<std::size_t>(leader);
    const bool leads =
        leader >= 0 && placed[at] && placed[at]->role == zab::Role::LEADING && placed[at]->serves();
    if (leader < 0 || (!leads && !cluster.scripted[at])) {
      node->phase = zab::Phase::discovery;  // it will find nobody there
      node->epoch = 0;
      continue;
    }
    node->newleader_acked = true;
    opened.push_back({zab::learner_link, static_cast<int>(i), leader});
    if (!leads) continue;
    placed[at]->learners[node->self] = {.observer = node->role == zab::Role::OBSERVING,
                                        .stage = zab::LearnerStage::up_to_date,
                                        .last = node->last_processed};
  }
  return opened;
}

zab::Rules B::rules(const Scenario& scenario, const JsonValue& document) {
  return rulesOf(scenario, document, default_variant, tables());
}

void B::checkConfig(const JsonValue& place, const zab::Config& config) {
  const auto within = [&](std::string_view key, std::int64_t value, std::int64_t min, std::int64_t max) {
    if (value >= min && value <= max) return;
    throw place.error(inBackticks(key) + " is from " + std::to_string(min) + " to " + std::to_string(max));
  };
  const auto positive = [&](std::string_view key, std::int64_t value, std::int64_t max) {
    within(key, value, 1, max);
  };
  constexpr std::int64_t day_ms = 86'400'000;
  positive("tick_ms", config.tick_ms, day_ms);
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
  within("log_to_snapshot_permille", config.log_to_snapshot_permille, -1, 1000);
  within("observer_delay_ms", config.observer_delay_ms, 0, day_ms);
  within("newleader_delay_ms", config.newleader_delay_ms, 0, day_ms);
  checkMembers(place, config.members);
}

void B::checkMembers(const JsonValue& place, const std::vector<zab::Member>& members) {
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

void B::checkState(const JsonValue& place, ServerId id, zab::Node& node) {
  if (node.self != id) throw place.keyError("self", "a server is itself: `self` is " + std::to_string(id));
  if (node.client)
    throw place.keyError("client", "a server is no client", "clients are listed under `clients`");
  if (node.learns() && !node.leader) {
    throw place.error("a server that is " + std::string(enumName(node.role)) + " has a leader",
                      "name it, as in \"leader\": 3");
  }
  constexpr std::int64_t doublings_max = 32;  // of one millisecond: more than any configured wait
  if (node.doublings < 0 || node.doublings > doublings_max)
    throw place.keyError("doublings", "`doublings` is from 0 to " + std::to_string(doublings_max));
  node.service = zab::stateAfter(node.history);
}

std::vector<zab::NodeConfig> B::configs(const Scenario& scenario, const JsonValue& document,
                                        const std::vector<ServerSpec>& servers) {
  zab::Config common = scenario.zoo_cfg ? configOf(zooCfgOf(scenario, document)) : zab::Config{};
  for (const ServerSpec& server : servers) {
    if (server.role == "client") continue;
    common.members.push_back({server.id, server.role == "observer", server.weight, server.group});
  }
  std::sort(common.members.begin(), common.members.end(),
            [](const zab::Member& a, const zab::Member& b) { return a.id < b.id; });
  if (scenario.config) {
    readInto(common, *scenario.config);
    checkConfig(*scenario.config, common);
  }
  std::vector<zab::NodeConfig> configs;
  for (const ServerSpec& server : servers) {
    zab::NodeConfig config{common, server.role == "client"};
    if (server.view) {
      const auto& view = server.view->list;
      std::erase_if(config.members, [&](const zab::Member& member) {
        return std::find(view.begin(), view.end(), member.id) == view.end();
      });
    }
    if (server.config) {
      readInto(static_cast<zab::Config&>(config), *server.config);
      checkConfig(*server.config, config);
    }
    configs.push_back(std::move(config));
  }
  return configs;
}

}  // namespace zablab
