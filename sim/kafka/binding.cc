#include "sim/kafka/binding.h"

#include <algorithm>

#include "protocol/overloaded.h"
#include "sim/asks.h"
#include "sim/json_reflect.h"
#include "sim/zab/binding.h"

namespace zablab {

namespace {

using F = kafka::Family;
using B = Binding<F>;

}  // namespace

F::Request B::request(const Asks& ask, AskContext context) {
  F::Request request{.number = context.number};
  visit(
      Overloaded{
          [&](const kafka::asks::Connect& one) {
            request.operation = kafka::Operation::connect;
            request.server = one.server;
          },
          [&](const kafka::asks::Metadata&) { request.operation = kafka::Operation::metadata; },
          [&](const kafka::asks::Produce& one) {
            request.operation = kafka::Operation::produce;
            request.acks = one.acks.value_or(kafka::Acks::all);
            request.server = one.to.value_or(no_server);
          },
          [&](const kafka::asks::Consume& one) {
            request.operation = kafka::Operation::consume;
            request.server = one.to.value_or(no_server);
          },
          [&](const kafka::asks::ElectPreferred&) { request.operation = kafka::Operation::elect_preferred; },
          [&](const kafka::asks::DeleteController&) {
            request.operation = kafka::Operation::delete_controller;
          },
      },
      ask);
  return request;
}

B::Asks B::asking(const F::Request& request) {
  const auto broker = request.server == no_server ? std::nullopt : std::optional(request.server);
  switch (request.operation) {
    case kafka::Operation::connect: return kafka::asks::Connect{request.server};
    case kafka::Operation::metadata: return kafka::asks::Metadata{};
    case kafka::Operation::produce:
      return kafka::asks::Produce{
          request.acks == kafka::Acks::all ? std::nullopt : std::optional(request.acks), broker};
    case kafka::Operation::consume: return kafka::asks::Consume{broker};
    case kafka::Operation::elect_preferred: return kafka::asks::ElectPreferred{};
    case kafka::Operation::delete_controller: break;
  }
  return kafka::asks::DeleteController{};
}

std::optional<ServerId> B::turnsTo(const Asks& ask) {
  const auto* connect = get_if<kafka::asks::Connect>(&ask);
  return connect == nullptr ? std::nullopt : std::optional(connect->server);
}

Json B::header() {
  Json header = Binding<zookeeper::Family>::header();
  header["message_groups"].push_back({kafka::ControllerRequest::name});
  header["message_groups"].push_back({kafka::Fetch::name, kafka::FetchResponse::name,
                                      kafka::EpochEndRequest::name, kafka::EpochEndResponse::name});
  header["message_groups"].push_back({kafka::MetadataRequest::name, kafka::MetadataResponse::name,
                                      kafka::Produce::name, kafka::ProduceResponse::name,
                                      kafka::Consume::name, kafka::ConsumeResponse::name,
                                      kafka::ElectLeaders::name});
  for (const std::string_view name : {kafka::Fetch::name, kafka::FetchResponse::name})
    header["heartbeats"].push_back(name);
  // A step at ZooKeeper takes several of these, and events say what has come of it.
  for (const std::string_view name :
       {zookeeper::ConnectResponse::name, zookeeper::ClientRequest::name, zookeeper::Reply::name})
    header["folded_in_stories"].push_back(name);
  header["label"] = "what it says";
  header["roles"]["CONTROLLER"] = "leading";
  header["roles"]["BROKER"] = "following";
  header["turns"] = {{{"event", {{"kind", "registered"}}}, {"role", "BROKER"}},
                     {{"event", {{"kind", "controller_elected"}}}, {"role", "CONTROLLER"}},
                     {{"event", {{"kind", "resigned"}}}, {"role", "BROKER"}}};
  header["timers"]["session_expiry"] = {"session_timeout_ms to session_timeout_ms + tick_ms"};
  header["elections"] = {{{"kind", "controller_elected"}}, {{"kind", "leader_chosen"}}};
  header["milestones"] = {"asked",        "watched",         "controller_elected", "election_lost",
                          "resigned",     "leader_chosen",   "controller_request", "replica_role",
                          "client_state", "session_expired", "registered",         "metadata_answered",
                          "brokers_seen", "log_truncated",   "isr_changed",        "isr_refused",
                          "produced",     "consumed",        "high_watermark"};
  header.erase("calls");
  header["state_rows"] = {"controller_elected", "leader_chosen"};
  header.erase("state_numbers");
  header["trees"][0]["field"] = "zookeeper.service.nodes";
  for (const char* const part : {"watches", "owner", "identity"}) header["trees"][0].erase(part);
  header["facts"] = {
      {{"field", "broker.controller"}, {"node", true}, {"name", {{"en", "controller"}, {"zh", "控制器"}}}},
      {{"field", "broker.epoch"}, {"name", {{"en", "own epoch"}, {"zh", "自己的纪元"}}}},
      {{"field", "broker.seen_epoch"}, {"name", {{"en", "latest epoch"}, {"zh", "最新纪元"}}}},
      {{"field", "broker.applied.leader"}, {"node", true}, {"name", {{"en", "leader"}, {"zh", "领导者"}}}},
      {{"field", "broker.applied.leader_epoch"}, {"name", {{"en", "leader epoch"}, {"zh", "领导者纪元"}}}}};
  return header;
}

Json B::logPicture(const F::Node& node, const F::Durable& disk) {
  if (node.broker || node.client) return nullptr;
  return Binding<zookeeper::Family>::logPicture(node.zookeeper, disk.zookeeper);
}

void B::checkState(const JsonValue& place, ServerId, const F::Node&) {
  throw place.error("servers of this protocol have no state at the beginning", "every process starts");
}

void B::checkConfig(const JsonValue& place, const F::Config& config) {
  constexpr std::int64_t day_ms = Within::day_ms;
  const Within within(place);
  within("session_timeout_ms", config.session_timeout_ms, 1, day_ms);
  within("tick_ms", config.tick_ms, 2, day_ms);
  within("min_isr", config.min_isr, 1, 1000);
  within("replica_lag_ms", config.replica_lag_ms, 1, day_ms);
  within("fetch_wait_ms", config.fetch_wait_ms, 1, day_ms);
  if (config.assignment.empty()) throw place.keyError("assignment", "`assignment` names no broker");
  for (const ServerId replica : config.assignment) {
    const auto count = [&](const std::vector<ServerId>& list) {
      return std::count(list.begin(), list.end(), replica);
    };
    if (count(config.brokers) == 0)
      throw place.keyError("assignment", std::to_string(replica) + " is no broker");
    if (count(config.assignment) > 1)
      throw place.keyError("assignment", std::to_string(replica) + " is there twice");
  }
}

std::vector<F::Config> B::configs(const Scenario& scenario, const JsonValue& document,
                                  const std::vector<ServerSpec>& servers) {
  F::Config common;
  std::vector<kafka::NodeKind> kinds;
  for (const ServerSpec& server : servers) {
    const auto kind = server.client ? kafka::NodeKind::client : fieldsOf<kafka::ServerFields>(server).kind;
    kinds.push_back(kind);
    switch (kind) {
      case kafka::NodeKind::broker: common.brokers.push_back(server.id); break;
      case kafka::NodeKind::zookeeper: common.stores.push_back(server.id); break;
      case kafka::NodeKind::client:
        if (!server.client) throw document.error("clients are listed under `clients`");
        break;
    }
    // Brokers are found by the ids of their sessions.
    if (server.id < 1 || server.id >= zookeeper::session_ids_apart)
      throw document.error("ids are from 1 to " + std::to_string(zookeeper::session_ids_apart - 1));
  }
  if (common.brokers.empty()) throw document.error("there is no broker among the servers");
  if (common.stores.empty())
    throw document.error("there is no server of ZooKeeper", R"(as in {"id": 9, "kind": "zookeeper"})");
  if (common.stores.size() > 1)
    throw document.error("there is more than one server of ZooKeeper",
                         "the store has one node in this protocol");
  std::sort(common.brokers.begin(), common.brokers.end());
  common.assignment = common.brokers;
  std::vector<F::Config> configs = configsOf(
      scenario, servers, common, [&](F::Config& config, std::size_t i) { config.kind = kinds[i]; },
      &F::Config::kind, &F::Config::brokers, &F::Config::stores, &F::Config::zookeeper);
  for (F::Config& config : configs) {
    for (const ServerId store : config.stores) config.zookeeper.members.push_back({.id = store});
    config.zookeeper.standalone = true;
    config.zookeeper.tick_ms = config.tick_ms;
    config.zookeeper.client = config.kind != kafka::NodeKind::zookeeper;
  }
  return configs;
}

}  // namespace zablab
