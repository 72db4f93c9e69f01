#include "sim/redis_cluster/binding.h"

#include <algorithm>
#include <set>

#include "protocol/overloaded.h"
#include "sim/asks.h"
#include "sim/calls.h"
#include "sim/phrase.h"
#include "sim/sentences.h"

namespace zablab {

namespace {

using B = Binding<redis_cluster::Family>;
namespace rc = redis_cluster;

std::vector<rc::Member> membersOf(const std::vector<ServerSpec>& servers, const JsonValue& document) {
  std::vector<rc::Member> members;
  std::set<rc::Slot> assigned;
  std::int64_t masters = 0;
  for (const ServerSpec& server : servers) {
    if (server.client) continue;
    const auto fields = fieldsOf<rc::ServerFields>(server);
    rc::Member member{
        .id = server.id, .master = fields.master.value_or(no_server), .config_epoch = 0, .slots = {}};
    if (!fields.master) {
      member.slots = fields.owned_slots.value_or(std::vector<rc::Slot>{server.id});
      member.config_epoch = fields.config_epoch.value_or(++masters);
      for (const rc::Slot slot : member.slots) {
        if (!assigned.insert(slot).second)
          throw errorAt(document, "servers", "slot " + std::to_string(slot) + " has two masters");
      }
    } else if (fields.owned_slots || fields.config_epoch) {
      throw errorAt(
          document, "servers",
          "server " + std::to_string(server.id) + " is a replica: it has its master's slots and epoch");
    }
    members.push_back(std::move(member));
  }
  for (const rc::Member& member : members) {
    if (member.master == no_server) continue;
    const bool found = std::any_of(members.begin(), members.end(), [&](const rc::Member& other) {
      return other.id == member.master && other.master == no_server;
    });
    if (!found) {
      throw errorAt(document, "servers",
                    "server " + std::to_string(member.id) +
                        " has no master: " + std::to_string(member.master) + " is none");
    }
  }
  return members;
}

}  // namespace

Json B::logPicture(const rc::Node& node, const rc::Durable& disk) {
  if (node.history.empty()) return nullptr;
  constexpr std::size_t shown = 6;
  Json cells = Json::array();
  const std::size_t first = node.history.size() > shown ? node.history.size() - shown : 0;
  for (std::size_t i = first; i < node.history.size(); ++i) {
    const bool durable = i < disk.history.size() && disk.history[i] == node.history[i];
    cells.push_back(
        {{"text", std::to_string(node.history[i].value)}, {"mark", durable ? "durable" : "proposed"}});
  }
  return cellsPicture(first == 0 ? phrase("data") : phrase("data …"), std::move(cells));
}

Json B::header() {
  return {{"roles", {{"MASTER", "leading"}, {"REPLICA", "following"}}},
          {"attempts", {{{"kind", "asked_votes"}}}},
          {"timers",
           {{"silent", {"node_timeout_ms", "node_timeout_ms / 2"}},
            {"fail_undo", {"node_timeout_ms × 2"}},
            {"vote_gap", {"node_timeout_ms × 2"}},
            {"report_expires", {"node_timeout_ms × 2"}},
            {"rejoin", {"start_wait_ms", "node_timeout_ms"}},
            {"relink", {"repl_retry_ms"}},
            {"repl_ping", {"repl_ping_ms"}}}},
          {"elections", {{{"kind", "promoted"}}}},
          {"phases", Json::object()},
          {"label", "what it says"},
          {"message_groups", messageGroups()},
          {"heartbeats",
           {std::string(rc::Ping::name), std::string(rc::Pong::name), std::string(rc::ReplPing::name)}},
          {"folded_in_stories", {std::string(rc::Ping::name), std::string(rc::Pong::name)}},
          {"milestones", {"flagged", "scheduled", "promoted", "follows", "answered"}},
          {"calls", callsOf("request", {{"write", write_of_value}, {"read", read_of_value}})},
          {"state_rows", {"answered", "promoted", "follows"}},
          {"state_picture", "votes"},
          {"facts",
           {{{"field", "conf.current_epoch"}, {"name", {{"en", "epoch"}, {"zh", "纪元"}}}},
            {{"field", "serves"}, {"name", {{"en", "serves"}, {"zh", "服务中"}}}}}}};
}

rc::Request B::request(const Asks& asks, AskContext context) {
  rc::Request request{.operation = rc::Operation::read, .slot = 0, .value = 0, .number = context.number};
  visit(Overloaded{[&](const rc::asks::Read& read) { request.slot = read.slot; },
                   [&](const rc::asks::Write& write) {
                     request.operation = rc::Operation::write;
                     request.slot = write.slot;
                     request.value = write.value.value_or(context.number);
                   },
                   [&](const rc::asks::Takeover&) { request.operation = rc::Operation::takeover; },
                   [&](const rc::asks::Force&) { request.operation = rc::Operation::force; },
                   [&](const rc::asks::Failover&) { request.operation = rc::Operation::failover; }},
        asks);
  return request;
}

B::Asks B::asking(const rc::Request& request) {
  switch (request.operation) {
    case rc::Operation::read: return rc::asks::Read{request.slot};
    case rc::Operation::write: return rc::asks::Write{request.value, request.slot};
    case rc::Operation::takeover: return rc::asks::Takeover{};
    case rc::Operation::force: return rc::asks::Force{};
    case rc::Operation::failover: return rc::asks::Failover{};
  }
  return {};
}

std::vector<Opened> B::arrange(const Cluster<F>& cluster, std::vector<std::optional<rc::Node>>& placed) {
  std::vector<Opened> opened;
  for (int i = 0; i < static_cast<int>(placed.size()); ++i) {
    auto& node = placed[static_cast<std::size_t>(i)];
    if (!node || cluster.configs[static_cast<std::size_t>(i)].client || !node->linked) continue;
    const ServerId master = node->conf.nodes[node->self].master;
    const int at = master == no_server ? -1 : cluster.indexOf(master);
    if (at < 0 || !placed[static_cast<std::size_t>(at)]) {
      node->linked = false;
      continue;
    }
    auto& fed = placed[static_cast<std::size_t>(at)]->fed;
    if (std::find(fed.begin(), fed.end(), node->self) == fed.end())
      fed.insert(std::lower_bound(fed.begin(), fed.end(), node->self), node->self);
    opened.push_back({rc::replication_link, i, at});
  }
  return opened;
}

void B::checkState(const JsonValue& place, ServerId id, const rc::Node& node) {
  if (node.self != id) throw place.keyError("self", "`self` is the server's own id, " + std::to_string(id));
  if (node.pending)
    throw place.error("a node of the cluster makes no requests", "clients are listed under `clients`");
}

void B::checkConfig(const JsonValue& place, const rc::Config& config) {
  const Within within(place);
  constexpr std::int64_t day_ms = Within::day_ms;
  within("node_timeout_ms", config.node_timeout_ms, 20, day_ms);
  within("validity_factor", config.validity_factor, 0, 1'000'000);
  within("repl_ping_ms", config.repl_ping_ms, 1, day_ms);
  within("repl_retry_ms", config.repl_retry_ms, 1, day_ms);
  within("start_wait_ms", config.start_wait_ms, 0, day_ms);
  within("request_limit_ms", config.request_limit_ms, 1, day_ms);
}

std::vector<rc::Config> B::configs(const Scenario& scenario, const JsonValue& document,
                                   const std::vector<ServerSpec>& servers) {
  rc::Config common;
  common.members = membersOf(servers, document);
  return configsOf(
      scenario, servers, common,
      [&](rc::Config& config, std::size_t i) { config.client = servers[i].client; }, &rc::Config::client,
      &rc::Config::members);
}

}  // namespace zablab
