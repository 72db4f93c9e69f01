#include "sim/zab_register/binding.h"

#include <algorithm>

#include "protocol/zab_register/mutations.h"
#include "sim/zab/binding_impl.h"

namespace zablab {
namespace {

using B = Binding<zab::Family>;

RuleTables<zab::Rules> tables() { return {zab::variants(), zab::ruleValues(), zab::mutations()}; }

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
  std::vector<std::string> names;
  for (const std::string_view name : {zab::ClientHello::name, zab::ClientRequest::name, zab::Answer::name,
                                      zab::Forwarded::name, zab::SyncDone::name}) {
    names.emplace_back(name);
  }
  return {{"roles",
           {{"LOOKING", "seeking"},
            {"FOLLOWING", "following"},
            {"LEADING", "leading"},
            {"OBSERVING", "observing"}}},
          {"phases", {{"discovery", "syncing"}, {"synchronization", "syncing"}}},
          {"label", "(round, candidate, its last zxid)"},
          {"message_groups", zab::messageGroups<zab::Register>(names)},
          {"heartbeats", Json::array({std::string(zab::Ping::name)})}};
}

Json B::data(const Names& names, const zab::Event& event) { return zab::data<zab::Register>(names, event); }

std::vector<std::string> B::narrate(const Trace& trace) {
  return zab::tellElections(trace, &zab::tellUnanswered);
}

Json B::logPicture(const zab::Node& node, const zab::Durable& disk) {
  if (node.client) return nullptr;
  return zab::logPicture<zab::Family>(node, disk);
}

NamesAndTexts B::variantTexts() { return textsOf(tables().variants); }
NamesAndTexts B::ruleTexts() { return textsOf(tables().values); }
NamesAndTexts B::mutationTexts() { return textsOf(tables().mutations); }

std::vector<zab::Opened> B::arrange(const Cluster<zab::Family>& cluster,
                                    std::vector<std::optional<zab::Node>>& placed) {
  return zab::arrange(cluster, placed);
}

zab::Rules B::rules(const Scenario& scenario, const JsonValue& document) {
  return rulesOf(scenario, document, default_variant, tables());
}

void B::checkState(const JsonValue& place, ServerId id, zab::Node& node) {
  if (node.client)
    throw place.keyError("client", "a server is no client", "clients are listed under `clients`");
  zab::checkState<zab::Family>(place, id, node);
}

std::vector<zab::NodeConfig> B::configs(const Scenario& scenario, const JsonValue& document,
                                        const std::vector<ServerSpec>& servers) {
  std::vector<zab::NodeConfig> configs;
  for (zab::Config& config : zab::configs(scenario, document, servers)) {
    configs.push_back({std::move(config), servers[configs.size()].role == "client"});
  }
  return configs;
}

}  // namespace zablab
