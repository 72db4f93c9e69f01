#include "sim/leader_followers/binding.h"

#include <algorithm>

#include "sim/calls.h"
#include "sim/json_reflect.h"
#include "sim/sentences.h"

namespace zablab {

namespace {

using F = leader_followers::Family;
using B = Binding<F>;

}  // namespace

F::Request B::request(const Asks& asks, AskContext context) {
  using leader_followers::Operation;
  if (const auto* connect = get_if<leader_followers::asks::Connect>(&asks))
    return {.operation = Operation::connect, .number = context.number, .server = connect->server};
  const auto* write = get_if<leader_followers::asks::Write>(&asks);
  return {.operation = write != nullptr ? Operation::put : Operation::read,
          .value = write != nullptr && write->value ? *write->value : context.number,
          .number = context.number};
}

B::Asks B::asking(const F::Request& request) {
  switch (request.operation) {
    case leader_followers::Operation::put: return leader_followers::asks::Write{request.value};
    case leader_followers::Operation::read: return leader_followers::asks::Read{};
    case leader_followers::Operation::connect: return leader_followers::asks::Connect{request.server};
  }
  return {};
}

std::optional<ServerId> B::turnsTo(const Asks& asks) {
  const auto* connect = get_if<leader_followers::asks::Connect>(&asks);
  return connect == nullptr ? std::nullopt : std::optional(connect->server);
}

Json B::header() {
  return {{"roles", {{"LOOKING_FOR_LEADER", "seeking"}, {"FOLLOWING", "following"}, {"LEADING", "leading"}}},
          {"attempts", {{{"kind", "looking"}}}},
          {"timers",
           {{"election", {"election_timeout_min_ms to election_timeout_max_ms"}},
            {"heartbeat", {"heartbeat_ms"}},
            {"silent", {"check_quorum_ms"}},
            {"led_over", {"election_timeout_min_ms"}}}},
          {"elections", {{{"kind", "quorum"}, {"pre", false}}}},
          {"phases", Json::object()},
          {"label", "generation, last entry"},
          {"message_groups", messageGroups()},
          {"heartbeats", Json::array()},
          {"folded_in_stories", {"VOTE_REQUEST", "VOTE_RESPONSE", "APPEND_RESPONSE"}},
          {"milestones", {"looking", "vote", "quorum", "truncated", "committed", "asked", "answered"}},
          {"calls", callsOf("number", {{"put", write_of_value}, {"read", read_of_value}})},
          {"state_rows", {"quorum"}},
          {"state_picture", "log"},
          {"state_numbers", {{"label", "generation"}, {"fields", {"disk.generation"}}}},
          {"facts",
           {{{"field", "generation"}, {"name", {{"en", "generation"}, {"zh", "世代"}}}},
            {{"field", "voted_for"}, {"node", true}, {"name", {{"en", "voted for"}, {"zh", "投给"}}}},
            {{"field", "leader"}, {"node", true}, {"name", {{"en", "leader"}, {"zh", "领导者"}}}},
            {{"field", "commit_index"}, {"name", {{"en", "committed up to"}, {"zh", "已提交至"}}}},
            {{"field", "client.server"}, {"node", true}, {"name", {{"en", "server"}, {"zh", "服务器"}}}}}}};
}

std::vector<std::string> B::narrate(const Trace& trace) {
  std::vector<std::string> lines;
  for (const TraceEvent& event : trace.events) {
    const bool tells = event.kind == "quorum" || event.kind == "committed" || event.kind == "truncated";
    if (tells && !event.text.empty())
      lines.push_back("at " + std::to_string(event.time) + " ms " + event.text);
  }
  return lines;
}

Json B::logPicture(const F::Node& node, const F::Durable& disk) {
  const leader_followers::Log& log = node.log;
  if (node.client) return nullptr;
  return lastCells(phrase("log"), log.size(), [&](std::size_t i) -> LogCell {
    const auto index = static_cast<leader_followers::Index>(i) + 1;
    const bool durable = i < disk.log.size() && disk.log[i] == log[i];
    return {leader_followers::text({log[i].generation, index}), index <= node.commit_index ? "committed"
                                                                : durable                  ? "durable"
                                                                                           : "proposed"};
  });
}

std::vector<Opened> B::arrange(const Cluster<F>& cluster, std::vector<std::optional<F::Node>>& placed) {
  std::vector<Opened> opened;
  const int n = cluster.serverCount();
  for (int a = 0; a < n; ++a) {
    auto& node = placed[static_cast<std::size_t>(a)];
    if (!node) continue;
    for (int b = a + 1; b < n; ++b) {
      if (placed[static_cast<std::size_t>(b)]) opened.push_back({leader_followers::server_link, a, b});
    }
    if (node->role != leader_followers::Role::LEADING) continue;
    node->leader = node->self;
    for (const ServerId id : cluster.configs[static_cast<std::size_t>(a)].members) {
      auto& progress = node->followers[id];
      progress.next = leader_followers::lastIndex(node->log) + 1;
      if (id == node->self) progress.match = leader_followers::lastIndex(node->log);
    }
  }
  return opened;
}

void B::checkState(const JsonValue& place, ServerId id, const F::Node& node) {
  if (node.self != id) throw place.keyError("self", "`self` is the server's own id, " + std::to_string(id));
  if (node.client)
    throw place.keyError("client", "a server is not a client", "clients are listed under `clients`");
  if (node.commit_index < 0 || node.commit_index > leader_followers::lastIndex(node.log))
    throw place.keyError("commit_index", "`commit_index` is from 0 to the log's length");
}

void B::checkConfig(const JsonValue& place, const F::Config& config) {
  const Within within(place);
  within("election_timeout_min_ms", config.election_timeout_min_ms, 1, Within::day_ms);
  within("election_timeout_max_ms", config.election_timeout_max_ms, 1, Within::day_ms);
  if (config.election_timeout_max_ms < config.election_timeout_min_ms)
    throw place.error("`election_timeout_max_ms` must not be less than `election_timeout_min_ms`");
  within("heartbeat_ms", config.heartbeat_ms, 1, Within::day_ms);
  within("check_quorum_ms", config.check_quorum_ms, 1, Within::day_ms);
  within("client_retry_ms", config.client_retry_ms, 1, Within::day_ms);
  within("answer_limit_ms", config.answer_limit_ms, 1, Within::day_ms);
}

std::vector<F::Config> B::configs(const Scenario& scenario, const JsonValue&,
                                  const std::vector<ServerSpec>& servers) {
  F::Config common;
  for (const ServerSpec& server : servers) {
    if (!server.client) common.members.push_back(server.id);
  }
  std::sort(common.members.begin(), common.members.end());
  return configsOf(
      scenario, servers, common, [&](F::Config& config, std::size_t i) { config.client = servers[i].client; },
      &F::Config::client);
}

}  // namespace zablab
