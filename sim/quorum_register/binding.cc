#include "sim/quorum_register/binding.h"

#include <algorithm>
#include <set>

#include "protocol/quorum_register/mutations.h"

namespace zablab {
namespace {

using B = Binding<quorum_register::Family>;
namespace qr = quorum_register;

/// An error about `key` of the document, or about the command line where the document does not say it.
InputError wrong(const JsonValue& document, std::string_view key, std::string message, std::string hint) {
  return document.find(key) != nullptr ? document.keyError(key, std::move(message), std::move(hint))
                                       : InputError("", std::nullopt, std::move(message), std::move(hint));
}

template <class Rows, class Name>
std::string meant(const std::string& word, const Rows& rows, Name name) {
  std::set<std::string> known;
  for (const auto& row : rows) known.emplace(name(row));
  const std::string near = nearest(word, {known.begin(), known.end()});
  if (!near.empty()) return "did you mean \"" + near + "\"?";
  std::string all;
  for (const std::string& one : known) all += (all.empty() ? "" : ", ") + one;
  return "known are: " + all;
}

}  // namespace

Json B::logPicture(const qr::Node& node, const qr::Durable& disk) {
  if (node.stored.version == qr::Version{} && node.hints.empty()) return nullptr;
  Json cells = Json::array();
  const auto cell = [&](const std::string& text, bool durable) {
    cells.push_back({{"text", text}, {"mark", durable ? "durable" : "proposed"}});
  };
  cell(std::to_string(node.stored.value), disk.stored == node.stored);
  for (const auto& [home, stored] : node.hints) {
    const auto kept = disk.hints.find(home);
    cell(std::to_string(stored.value) + "→" + std::to_string(home),
         kept != disk.hints.end() && kept->second == stored);
  }
  return {{"caption", "value"}, {"cells", std::move(cells)}};
}

Json B::header() {
  return {{"roles", Json::object()},
          {"phases", Json::object()},
          {"label", "what it says, value (version)"},
          {"message_groups", qr::messageGroups()},
          {"heartbeats", Json::array()}};
}

std::vector<std::pair<std::string, std::string>> B::variantTexts() {
  std::vector<std::pair<std::string, std::string>> texts;
  for (const qr::Variant& variant : qr::variants()) texts.emplace_back(variant.name, variant.text);
  return texts;
}

std::vector<std::pair<std::string, std::string>> B::ruleTexts() {
  std::vector<std::pair<std::string, std::string>> texts;
  for (const qr::RuleValue& row : qr::ruleValues()) {
    texts.emplace_back(std::string(row.rule) + "=" + std::string(row.value),
                       std::string(row.text) + " (" + std::string(row.source) + ")");
  }
  return texts;
}

std::vector<std::pair<std::string, std::string>> B::mutationTexts() {
  std::vector<std::pair<std::string, std::string>> texts;
  for (const qr::Mutation& row : qr::mutations()) {
    std::string text(row.text);
    if (!row.releases.empty()) text += " (" + std::string(row.releases) + ")";
    texts.emplace_back(row.name, text + "; found by: " + std::string(row.found_by));
  }
  return texts;
}

std::vector<std::string> B::narrate(const Trace& trace) {
  std::vector<std::string> lines;
  for (const TraceEvent& event : trace.events) {
    if ((event.kind == "invoked" || event.kind == "answered") && !event.text.empty())
      lines.push_back("at " + std::to_string(event.time) + " ms " + event.text);
  }
  return lines;
}

qr::Request B::request(const std::string& operation, std::int64_t value, std::int64_t number, ServerId) {
  qr::Request request{.number = number, .clock = number};
  request.operation = operation == "put"
                          ? qr::Operation::write
                          : enumFromName<qr::Operation>(operation).value_or(qr::Operation::read);
  if (request.operation != qr::Operation::read) request.value = value;
  return request;
}

std::vector<B::Opened> B::arrange(const Cluster<F>&, std::vector<std::optional<qr::Node>>&) { return {}; }

void B::checkState(const JsonValue& place, ServerId id, const qr::Node& node) {
  if (node.self != id) throw place.keyError("self", "a server is itself: `self` is " + std::to_string(id));
  if (node.doing || node.counter != 0)
    throw place.error("a replica coordinates nothing", "clients are listed under `clients`");
}

void B::checkConfig(const JsonValue& place, const qr::Config& config) {
  const auto within = [&](std::string_view key, std::int64_t value, std::int64_t min, std::int64_t max) {
    if (value >= min && value <= max) return;
    throw place.error(inBackticks(key) + " is from " + std::to_string(min) + " to " + std::to_string(max));
  };
  constexpr std::int64_t day_ms = 86'400'000;
  if (config.client) throw place.error("`client` cannot be set", "clients are listed under `clients`");
  if (config.homes.empty()) throw place.error("there is no home for the value");
  within("read_quorum", config.read_quorum, 1, std::ssize(config.homes));
  within("write_quorum", config.write_quorum, 1, std::ssize(config.homes));
  within("request_limit_ms", config.request_limit_ms, 1, day_ms);
  within("stand_in_ms", config.stand_in_ms, 1, day_ms);
  within("hand_off_ms", config.hand_off_ms, 1, day_ms);
  for (const ServerId stand_in : config.stand_ins) {
    if (config.isHome(stand_in))
      throw place.keyError("stand_ins", "server " + std::to_string(stand_in) + " is a home itself");
  }
}

std::vector<ServerSpec> B::servers(const Scenario& scenario, const JsonValue& document) {
  if (!scenario.servers) throw document.error("`servers` is missing");
  std::vector<ServerSpec> servers = scenario.servers->list;
  for (ServerSpec& client : clientsOf(scenario)) servers.push_back(std::move(client));
  return servers;
}

qr::Rules B::rules(const Scenario& scenario, const JsonValue& document) {
  const qr::Variant* variant = qr::findVariant(scenario.variant.empty() ? default_variant : scenario.variant);
  if (variant == nullptr) {
    throw wrong(document, "variant", "there is no variant " + inBackticks(scenario.variant),
                meant(scenario.variant, qr::variants(), [](const qr::Variant& v) { return v.name; }));
  }
  qr::Rules rules = variant->rules;
  for (const auto& [rule, value] : scenario.rules) {
    const auto problem = qr::setRule(rules, rule, value);
    if (!problem) continue;
    std::vector<qr::RuleValue> of_rule;
    for (const qr::RuleValue& row : qr::ruleValues()) {
      if (row.rule == rule) of_rule.push_back(row);
    }
    throw wrong(document, "rules", *problem,
                of_rule.empty()
                    ? meant(rule, qr::ruleValues(), [](const qr::RuleValue& row) { return row.rule; })
                    : meant(value, of_rule, [](const qr::RuleValue& row) { return row.value; }));
  }
  for (const std::string& name : scenario.mutations) {
    const qr::Mutation* mutation = qr::findMutation(name);
    if (mutation == nullptr) {
      throw wrong(document, "mutations", "there is no mutation " + inBackticks(name),
                  meant(name, qr::mutations(), [](const qr::Mutation& m) { return m.name; }));
    }
    qr::mutate(rules, *mutation);
  }
  return rules;
}

std::vector<qr::Config> B::configs(const Scenario& scenario, const JsonValue&,
                                   const std::vector<ServerSpec>& servers) {
  qr::Config common;
  if (scenario.config) readInto(common, *scenario.config);
  const auto standsIn = [&](ServerId id) {
    return std::find(common.stand_ins.begin(), common.stand_ins.end(), id) != common.stand_ins.end();
  };
  if (common.homes.empty()) {
    for (const ServerSpec& server : servers) {
      if (server.role != "client" && !standsIn(server.id)) common.homes.push_back(server.id);
    }
    std::sort(common.homes.begin(), common.homes.end());
  }
  if (scenario.config) checkConfig(*scenario.config, common);
  std::vector<qr::Config> configs;
  for (const ServerSpec& server : servers) {
    qr::Config config = common;
    if (server.config) {
      readInto(config, *server.config);
      checkConfig(*server.config, config);
    }
    config.client = server.role == "client";
    configs.push_back(std::move(config));
  }
  return configs;
}

}  // namespace zablab
