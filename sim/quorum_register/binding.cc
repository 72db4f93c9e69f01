#include "sim/quorum_register/binding.h"

#include <algorithm>
#include <array>
#include <charconv>

#include "protocol/overloaded.h"
#include "sim/calls.h"
#include "sim/family_of.h"
#include "sim/sentences.h"

namespace zablab {

ZABLAB_FAMILY(template, quorum_register::Family);

using B = Binding<quorum_register::Family>;
using quorum_register::Version;
namespace qr = quorum_register;

Json JsonCodec<Version>::write(const Version& version) {
  if (version == Version{}) return "first";
  return std::to_string(version.counter) + "/" + std::to_string(version.writer) + "/" +
         std::to_string(version.request);
}

Version JsonCodec<Version>::read(const JsonValue& value) {
  const std::string& text = value.asString();
  if (text == "first") return {};
  std::array<std::int64_t, 3> parts{};
  const char* at = text.data();
  const char* const end = at + text.size();
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const auto [next, error] = std::from_chars(at, end, parts[i]);
    const bool ends = i + 1 == parts.size() ? next == end : next != end && *next == '/';
    if (error != std::errc{} || !ends) {
      throw value.error(inBackticks(text) + " is not a version",
                        "write counter, writer and request, as in \"3/11/5\", or \"first\"");
    }
    at = next + (next == end ? 0 : 1);
  }
  return {parts[0], parts[1], parts[2]};
}

Json JsonCodec<Version>::schema() {
  return {{"description", "a version: counter, writer and its request, as in \"3/11/5\""},
          {"type", "string"},
          {"pattern", "^(-?[0-9]+/-?[0-9]+/-?[0-9]+|first)$"}};
}

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
  return cellsPicture(phrase("value"), std::move(cells));
}

Json B::header() {
  return {
      {"roles", Json::object()},
      {"phases", Json::object()},
      {"label", "what it says, value (version)"},
      {"message_groups", {{qr::Read::name, qr::ReadReply::name}, {qr::Write::name, qr::WriteAck::name}}},
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
  visit(Overloaded{[&](const qr::asks::Read&) { request.operation = qr::Operation::read; },
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
  const Within within(place);
  constexpr std::int64_t day_ms = Within::day_ms;
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
  qr::Config given;
  if (scenario.config) readInto(given, *scenario.config);
  common.homes = given.homes;
  const auto standsIn = [&](ServerId id) {
    return std::find(given.stand_ins.begin(), given.stand_ins.end(), id) != given.stand_ins.end();
  };
  if (common.homes.empty()) {
    for (const ServerSpec& server : servers) {
      if (!server.client && !standsIn(server.id)) common.homes.push_back(server.id);
    }
    std::sort(common.homes.begin(), common.homes.end());
  }
  return configsOf(
      scenario, servers, common,
      [&](qr::Config& config, std::size_t i) { config.client = servers[i].client; }, &qr::Config::client);
}

}  // namespace zablab
