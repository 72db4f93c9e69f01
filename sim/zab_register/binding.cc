#include "sim/zab_register/binding.h"

#include <algorithm>

#include "protocol/overloaded.h"
#include "sim/calls.h"
#include "sim/zab/binding_impl.h"

namespace zablab {

namespace {

using B = Binding<zab::Family>;

}  // namespace

zab::Request B::request(const Asks& asks, AskContext context) {
  using zab::Operation;
  zab::Request request{.number = context.number};
  const auto puts = [&](Operation operation, const std::optional<std::int64_t>& value) {
    request.operation = operation;
    request.value = value.value_or(context.number);
  };
  visit(Overloaded{[&](const zab::asks::Write& ask) { puts(Operation::put, ask.value); },
                   [&](const zab::asks::OpenSession& ask) { puts(Operation::open_session, ask.value); },
                   [&](const zab::asks::CloseSession& ask) { puts(Operation::close_session, ask.value); },
                   [&](const zab::asks::Read&) { puts(Operation::read, {}); },
                   [&](const zab::asks::Sync&) { puts(Operation::sync, {}); },
                   [&](const zab::asks::Connect& ask) {
                     request.operation = Operation::connect;
                     request.server = ask.server;
                   }},
        asks);
  return request;
}

B::Asks B::asking(const zab::Request& request) {
  switch (request.operation) {
    case zab::Operation::put: return zab::asks::Write{request.value};
    case zab::Operation::read: return zab::asks::Read{};
    case zab::Operation::sync: return zab::asks::Sync{};
    case zab::Operation::open_session: return zab::asks::OpenSession{request.value};
    case zab::Operation::close_session: return zab::asks::CloseSession{request.value};
    case zab::Operation::connect: return zab::asks::Connect{request.server};
  }
  return {};
}

std::optional<ServerId> B::turnsTo(const Asks& asks) {
  const auto* connect = get_if<zab::asks::Connect>(&asks);
  return connect == nullptr ? std::nullopt : std::optional(connect->server);
}

Json B::header() {
  std::vector<std::string> names;
  for (const std::string_view name : {zab::ClientHello::name, zab::ClientRequest::name, zab::Reply::name,
                                      zab::Forwarded::name, zab::SyncDone::name}) {
    names.emplace_back(name);
  }
  return {{"roles",
           {{"LOOKING", "seeking"},
            {"FOLLOWING", "following"},
            {"LEADING", "leading"},
            {"OBSERVING", "observing"}}},
          {"elections", {{{"kind", "role"}, {"to", "LEADING"}}}},
          {"phases", {{"discovery", "syncing"}, {"synchronization", "syncing"}}},
          {"timers", zab::timerForms()},
          {"label", "(round, candidate, its last zxid)"},
          {"cell_words", {{"F", "the voter follows"}, {"L", "the voter leads"}}},
          {"message_groups", zab::messageGroups<zab::Register>(names)},
          {"heartbeats", Json::array({std::string(zab::Ping::name)})},
          {"folded_in_stories", zab::foldedInStories<zab::Register>({std::string(zab::ClientHello::name)})},
          {"milestones", zab::milestones<zab::Register>({"asked", "answered"})},
          {"calls",
           callsOf("number", {{"put", write_of_value}, {"read", read_of_value}, {"sync", {{"f", "sync"}}}})},
          {"state_rows", Json::array({std::string(zab::Established::name)})},
          {"state_picture", "log"},
          {"state_numbers", {{"label", "epoch"}, {"fields", {"disk.current_epoch", "disk.accepted_epoch"}}}},
          {"facts",
           {{{"field", "epoch"}, {"name", {{"en", "epoch"}, {"zh", "纪元"}}}},
            {{"field", "logicalclock"}, {"name", {{"en", "round"}, {"zh", "轮次"}}}},
            {{"field", "leader"}, {"node", true}, {"name", {{"en", "leader"}, {"zh", "领导者"}}}},
            {{"field", "last_processed"}, {"name", {{"en", "last applied"}, {"zh", "最后应用"}}}},
            {{"field", "client.server"}, {"node", true}, {"name", {{"en", "server"}, {"zh", "服务器"}}}}}}};
}

Json B::data(const Names& names, const zab::Event& event) { return zab::data<zab::Register>(names, event); }

std::vector<std::string> B::narrate(const Trace& trace) {
  return zab::tellElections(trace, &zab::tellUnanswered);
}

Json B::logPicture(const zab::Node& node, const zab::Durable& disk) {
  if (node.client) return nullptr;
  return zab::logPicture<zab::Family>(node, disk);
}

std::vector<Opened> B::arrange(const Cluster<zab::Family>& cluster,
                               std::vector<std::optional<zab::Node>>& placed) {
  return zab::arrange(cluster, placed);
}

void B::checkState(const JsonValue& place, ServerId id, zab::Node& node) {
  if (node.client)
    throw place.keyError("client", "a server is not a client", "clients are listed under `clients`");
  zab::checkState<zab::Family>(place, id, node);
}

std::vector<zab::NodeConfig> B::configs(const Scenario& scenario, const JsonValue& document,
                                        const std::vector<ServerSpec>& servers) {
  std::vector<zab::NodeConfig> configs;
  for (zab::Config& config : zab::configs<zab::Config>(scenario, document, servers)) {
    configs.push_back({std::move(config), servers[configs.size()].client});
  }
  return configs;
}

}  // namespace zablab
