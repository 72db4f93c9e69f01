#include "sim/quorum_register/binding.h"

#include <algorithm>
#include <set>

#include "protocol/overloaded.h"
#include "protocol/quorum_register/mutations.h"
#include "sim/calls.h"

namespace zablab {

template struct BindingBase<quorum_register::Family>;

namespace {

using B = Binding<quorum_register::Family>;
namespace qr = quorum_register;

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
  return {
      {"roles", Json::object()},
      {"phases", Json::object()},
      {"label", "what it says, value (version)"},
      {"message_groups", messageGroups()},
      {"heartbeats", Json::array()},
      {"folded_in_stories", Json::array()},
      {"milestones", {"invoked", "answered"}},
      {"calls", callsOf("request", {{"write", write_of_value},
                                    {"read", read_of_value},
                                    {"compare_and_set", {{"f", "cas"}, {"takes", {"expected", "value"}}}}})},
      {"state_rows", {"answered"}},
      {"state_picture", "value"},
      {"facts",
       {{{"field", "stored.value"}, {"name", {{"en", "value"}, {"zh", "值"}}}},
        {{"field", "stored.version"}, {"name", {{"en", "version"}, {"zh", "版本"}}}}}}};
}

RuleTables<qr::Rules> B::ruleTables() { return {qr::variants(), qr::ruleValues(), qr::mutations()}; }

std::vector<std::string> B::narrate(const Trace& trace) {
  std::vector<std::string> lines;
  for (const TraceEvent& event : trace.events) {
    if ((event.kind == "invoked" || event.kind == "answered") && !event.text.empty())
      lines.push_back("at " + std::to_string(event.time) + " ms " + event.text);
  }
  return lines;
}

qr::Request B::request(const Asks& asks, AskContext context) {
  qr::Request request{.number = context.number, .clock = context.number};
  const auto puts = [&](qr::Operation operation, const auto& ask) {
    request.operation = operation;
    request.value = ask.value.value_or(context.number);
    // A step that makes the request several times gives the reading of the clock at the first.
    if (ask.clock) request.clock = *ask.clock + context.later;
  };
  std::visit(Overloaded{[&](const qr::asks::Read&) { request.operation = qr::Operation::read; },
                        [&](const qr::asks::Write& write) { puts(qr::Operation::write, write); },
                        [&](const qr::asks::CompareAndSet& compare) {
                          puts(qr::Operation::compare_and_set, compare);
                          request.expected = compare.expected;
                        }},
             asks);
  return request;
}

B::Asks B::asking(const qr::Request& request) {
  const auto clock = request.clock == request.number ? std::nullopt : std::optional(request.clock);
  switch (request.operation) {
    case qr::Operation::read: return qr::asks::Read{};
    case qr::Operation::write: return qr::asks::Write{request.value, clock};
    case qr::Operation::compare_and_set:
      return qr::asks::CompareAndSet{request.value, request.expected, clock};
  }
  return {};
}

void B::checkState(const JsonValue& place, ServerId id, const qr::Node& node) {
  if (node.self != id) throw place.keyError("self", "`self` is the server's own id, " + std::to_string(id));
  if (node.doing || node.counter != 0)
    throw place.error("a replica does not coordinate requests", "clients are listed under `clients`");
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
      throw place.keyError("stand_ins", "server " + std::to_string(stand_in) + " is a home");
  }
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
      if (!server.client && !standsIn(server.id)) common.homes.push_back(server.id);
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
    config.client = server.client;
    configs.push_back(std::move(config));
  }
  return configs;
}

}  // namespace zablab
