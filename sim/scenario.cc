#include "sim/scenario.h"

#include <algorithm>
#include <set>
#include <utility>

#include "sim/components.h"
#include "sim/trace.h"

namespace zablab {
namespace {

static_assert(servers_max + clients_max <= max_servers);

/// What a step does: the names of all its fields but those that say when.
std::vector<std::string> actionsOf(const StepSpec& step) {
  std::vector<std::string> actions;
  forEachField(step, [&](std::string_view name, const auto& field) {
    if (name == "at" || name == "after" || name == "when" || name == "keep") return;
    if (field) actions.emplace_back(name.ends_with('_') ? name.substr(0, name.size() - 1) : name);
  });
  if (step.ask) actions.push_back(step.word);
  return actions;
}

std::string oneOf(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : ", ") + name;
  return text;
}

void requireOneOf(const JsonValue& value, const std::string& found, const std::vector<std::string>& known,
                  std::string_view key) {
  if (std::find(known.begin(), known.end(), found) != known.end()) return;
  const std::string near = nearest(found, known);
  throw value.keyError(key, inBackticks(key) + " cannot be " + inBackticks(found),
                       near.empty() ? "known are: " + oneOf(known) : "did you mean \"" + near + "\"?");
}

/// Refers to servers that there are.
class ServerNames {
 public:
  explicit ServerNames(const std::vector<ServerSpec>& servers) {
    for (const ServerSpec& server : servers) {
      (server.role == "client" ? clients_ : known_).insert(server.id);
    }
  }
  void checkServer(const JsonValue& where, std::string_view key, ServerId id) const {
    check(where, key, id);
    if (clients_.contains(id)) throw where.keyError(key, std::to_string(id) + " is a client");
  }
  void checkClient(const JsonValue& where, std::string_view key, ServerId id) const {
    if (!clients_.contains(id)) {
      throw where.keyError(key, "there is no client " + std::to_string(id),
                           "list it, as in \"clients\": [{\"id\": 101, \"server\": 1}]");
    }
  }
  void check(const JsonValue& where, std::string_view key, ServerId id) const {
    if (!known_.contains(id) && !clients_.contains(id)) {
      throw where.keyError(key, "there is no server " + std::to_string(id), "servers are: " + list());
    }
  }
  template <class List>
  void check(const JsonValue& where, std::string_view key, const List& ids) const {
    for (const ServerId id : ids) check(where, key, id);
  }

 private:
  std::string list() const {
    std::string text;
    for (const ServerId id : known_) text += (text.empty() ? "" : ", ") + std::to_string(id);
    return text;
  }
  std::set<ServerId> known_;
  std::set<ServerId> clients_;
};

void checkTime(const JsonValue& where, std::string_view key, Millis time) {
  if (time < 0)
    throw where.keyError(key, inBackticks(key) + " is before the beginning", "times count from 0, in ms");
  if (time > time_max) throw where.keyError(key, inBackticks(key) + " is more than a year away");
}

void checkStep(const JsonValue& value, const StepSpec& step, const ServerNames& names, bool first) {
  if ((step.at ? 1 : 0) + (step.after ? 1 : 0) + (step.when ? 1 : 0) > 1) {
    throw value.error("a step has one of `at`, `after` and `when`", "split it in two");
  }
  if (step.at) checkTime(value, "at", *step.at);
  if (step.after) {
    checkTime(value, "after", *step.after);
    if (first) throw value.keyError("after", "the first step has none before it", "write `at`");
  }
  const std::vector<std::string> actions = actionsOf(step);
  if (actions.empty())
    throw value.error("a step does nothing", "add an action, as in {\"at\": 0, \"kill\": 1}");
  if (actions.size() > 1) throw value.error("a step does one thing: " + oneOf(actions), "split it");
  for (const auto& [key, ids] : {std::pair{"start", &step.start},
                                 {"stop", &step.stop},
                                 {"kill", &step.kill},
                                 {"crash", &step.crash},
                                 {"power_loss", &step.power_loss},
                                 {"pause", &step.pause},
                                 {"resume", &step.resume},
                                 {"wipe", &step.wipe},
                                 {"look", &step.look}}) {
    if (*ids) names.check(value, key, (*ids)->list);
  }
  const auto checkWay = [&](std::string_view key, ServerId from, ServerId to) {
    names.check(value, key, from);
    names.check(value, key, to);
  };
  if (step.keep && (!step.power_loss || *step.keep < 0 || *step.keep > 1'000'000)) {
    throw value.keyError("keep",
                         "`keep` says how many unsynced writes a `power_loss` leaves, from 0 to 1000000");
  }
  if (step.cut) checkWay("cut", step.cut->from, step.cut->to);
  if (step.heal && step.heal->way) checkWay("heal", step.heal->way->from, step.heal->way->to);
  for (const auto& [key, way] : {std::pair{"hold", &step.hold},
                                 {"release", &step.release},
                                 {"drop", &step.drop},
                                 {"repeat", &step.repeat}}) {
    if (*way) checkWay(key, (*way)->from, (*way)->to);
  }
  if (step.break_) {
    if (step.break_->between.size() != 2)
      throw value.keyError("break", "a connection is between two servers");
    names.check(value, "break", step.break_->between);
  }
  if (step.partition) {
    std::set<ServerId> seen;
    for (const auto& group : *step.partition) {
      names.check(value, "partition", group);
      for (const ServerId id : group) {
        if (!seen.insert(id).second) {
          throw value.keyError("partition", "server " + std::to_string(id) + " is on two sides");
        }
      }
    }
  }
  if (step.send) {
    names.check(value, "send", step.send->from);
    if (step.send->repeat < 1 || step.send->repeat > 10'000) {
      throw value.keyError("send", "`repeat` is from 1 to 10000");
    }
  }
  if (step.disk) {
    names.check(value, "disk", step.disk->server);
    requireOneOf(*value.find("disk"), step.disk->fault, {"error", "stall", "resume", "none"}, "fault");
  }
  if (step.set) names.checkServer(value, "set", step.set->server);
  if (step.clock) {
    names.check(value, "clock", step.clock->server);
    if (step.clock->permille < 1 || step.clock->permille > 1'000'000) {
      throw value.keyError("clock", "`permille` is from 1 to 1000000");
    }
  }
  if (step.ask) {
    const JsonValue& place = *value.find(step.word);
    names.checkClient(value, step.word, step.ask->client);
    if (step.ask->server) names.check(value, step.word, *step.ask->server);
    if (step.ask->repeat < 1 || step.ask->repeat > 5000)
      throw value.keyError(step.word, "`repeat` is from 1 to 5000");
    checkTime(place, "every", step.ask->every);
  }
  if (step.when) {
    requireOneOf(*value.find("when"), step.when->edge, {"after", "before", "during"}, "edge");
    if (step.when->nth < 1) throw value.keyError("when", "`nth` counts from 1");
    checkTime(*value.find("when"), "plus", step.when->plus);
    if (step.when->by) checkTime(*value.find("when"), "by", *step.when->by);
    const JsonValue* kind = step.when->event.fields.find("kind");
    const bool writes =
        kind != nullptr && kind->kind() == JsonValue::Kind::string && kind->asString() == "written";
    if (step.when->edge == "during" && !writes)
      throw value.keyError("when",
                           "only what is `written` takes so long that something can happen during it");
    if (step.when->edge != "after" && !step.kill && !step.stop && !step.power_loss) {
      throw value.keyError(
          "when", "only `stop`, `kill` and `power_loss` can be done just before something or during it");
    }
  }
}

void checkExpectation(const JsonValue& value, const ExpectSpec& expect, const ServerNames& names,
                      bool needs_place) {
  const int places = (expect.at ? 1 : 0) + (expect.by ? 1 : 0) + (expect.always ? 1 : 0) +
                     (expect.never ? 1 : 0) + (expect.not_within ? 1 : 0) + (expect.finally_ ? 1 : 0) +
                     (expect.at_event ? 1 : 0);
  const int things = (expect.state ? 1 : 0) + (expect.event ? 1 : 0) + (expect.packets ? 1 : 0) +
                     (expect.equal ? 1 : 0) + (expect.invariant ? 1 : 0) + (expect.any_of.empty() ? 0 : 1);
  if (things != 1) {
    throw value.error(things == 0 ? "an expectation says nothing" : "an expectation says one thing",
                      "one of: state (with server), event, packets, equal, invariant, any_of");
  }
  const bool timeless = expect.packets || expect.invariant || !expect.any_of.empty() || expect.event;
  if (places > 1 || (places == 0 && needs_place && !timeless)) {
    throw value.error("an expectation has one place in time",
                      "one of: at, by, always, never, not_within, finally, at_event");
  }
  if (expect.state && !expect.server) throw value.error("whose state? `server` is missing");
  if (expect.server) names.check(value, "server", expect.server->list);
  if (expect.equal) names.check(value, "equal", expect.equal->servers);
  if (expect.packets && (expect.packets->exactly ? 1 : 0) + (expect.packets->contains ? 1 : 0) != 1) {
    throw value.keyError("packets", "say `exactly` or `contains`");
  }
  if (expect.invariant) {
    requireOneOf(*value.find("invariant"), expect.invariant->verdict, {"held", "violated", "not exercised"},
                 "verdict");
  }
  if (expect.count && !expect.event) throw value.keyError("count", "`count` counts an `event`");
  for (const auto& [key, time] : {std::pair{"at", expect.at}, {"by", expect.by}}) {
    if (time) checkTime(value, key, *time);
  }
  for (std::size_t i = 0; i < expect.any_of.size(); ++i) {
    checkExpectation(value.find("any_of")->elements()[i], expect.any_of[i], names, places == 0);
  }
}

const Json* fieldOf(const TraceEvent& event, const std::string& key) {
  const auto found = event.data.find(key);
  if (found != event.data.end()) return &*found;
  const auto content = event.data.find("content");
  if (content == event.data.end() || !content->is_object()) return nullptr;
  const auto inner = content->find(key);
  return inner == content->end() ? nullptr : &*inner;
}

}  // namespace

Json JsonCodec<Ids>::write(const Ids& ids) {
  return ids.list.size() == 1 ? Json(ids.list[0]) : Json(ids.list);
}
Ids JsonCodec<Ids>::read(const JsonValue& value) {
  if (value.kind() == JsonValue::Kind::array) return {zablab::read<std::vector<ServerId>>(value)};
  return {{zablab::read<ServerId>(value)}};
}
Json JsonCodec<Ids>::schema() {
  return {
      {"oneOf", Json::array({{{"type", "integer"}}, {{"type", "array"}, {"items", {{"type", "integer"}}}}})}};
}

Json JsonCodec<Span>::write(const Span& span) { return Json::array({span.from, span.to}); }
Span JsonCodec<Span>::read(const JsonValue& value) {
  if (value.kind() == JsonValue::Kind::boolean && value.asBool()) return {};
  if (value.kind() != JsonValue::Kind::array || value.elements().size() != 2) {
    throw value.error("a span of time is `true` or [from, to]");
  }
  const Span span{value.elements()[0].asInt64(0, time_max), value.elements()[1].asInt64(0, time_max)};
  if (span.from > span.to) throw value.error("the span ends before it begins");
  return span;
}
Json JsonCodec<Span>::schema() {
  return {{"oneOf", Json::array({{{"const", true}},
                                 {{"type", "array"},
                                  {"items", {{"type", "integer"}, {"minimum", 0}}},
                                  {"minItems", 2},
                                  {"maxItems", 2}}})}};
}

EventPattern JsonCodec<EventPattern>::read(const JsonValue& value) {
  if (value.kind() != JsonValue::Kind::object || value.members().empty()) {
    throw value.error("an event is described by its fields",
                      "as in {\"kind\": \"sent\", \"node\": 1, \"receiver\": 2}");
  }
  if (const JsonValue* kind = value.find("kind")) kind->asString();
  if (const JsonValue* node = value.find("node")) node->asInt64();
  return {value};
}
Json JsonCodec<EventPattern>::schema() {
  return {{"type", "object"}, {"description", "fields that an event has: kind, node, and those of its data"}};
}

Json JsonCodec<Servers>::write(const Servers& servers) {
  Json plain = Json::array();
  for (std::size_t i = 1; i <= servers.list.size(); ++i) plain.push_back({{"id", i}});
  Json list = toCompactJson(servers.list);
  return list == plain && !list.empty() ? Json(list.size()) : list;
}
Servers JsonCodec<Servers>::read(const JsonValue& value) {
  Servers servers;
  if (value.kind() == JsonValue::Kind::integer) {
    const std::int64_t count = value.asInt64(1, static_cast<std::int64_t>(servers_max));
    for (ServerId id = 1; id <= count; ++id) servers.list.push_back({.id = id});
    return servers;
  }
  servers.list = zablab::read<std::vector<ServerSpec>>(value);
  if (servers.list.empty()) throw value.error("there are no servers");
  if (servers.list.size() > servers_max) throw value.error("more than 31 servers");
  std::set<ServerId> seen;
  for (std::size_t i = 0; i < servers.list.size(); ++i) {
    const ServerSpec& server = servers.list[i];
    const JsonValue& place = value.elements()[i];
    if (!seen.insert(server.id).second) {
      throw place.keyError("id", "there are two servers " + std::to_string(server.id));
    }
    if (server.id < 0) throw place.keyError("id", "an id is a whole number from 0");
    requireOneOf(place, server.role, {"voter", "observer"}, "role");
    if (server.weight < 0 || server.weight > 1'000'000)
      throw place.keyError("weight", "a weight is from 0 to 1000000");
  }
  const auto observes = [](const ServerSpec& server) { return server.role == "observer"; };
  if (std::all_of(servers.list.begin(), servers.list.end(), observes))
    throw value.error("every server is an observer: only voters elect, and at least one must be one");
  for (std::size_t i = 0; i < servers.list.size(); ++i) {
    if (!servers.list[i].view) continue;
    for (const ServerId id : servers.list[i].view->list) {
      if (!seen.contains(id))
        throw value.elements()[i].keyError("view", "there is no server " + std::to_string(id));
    }
  }
  return servers;
}
Json JsonCodec<Servers>::schema() {
  return {{"oneOf", Json::array({{{"type", "integer"}, {"minimum", 1}, {"maximum", servers_max}},
                                 {{"type", "array"}, {"items", {{"$ref", "#/$defs/ServerSpec"}}}}})}};
}

Json JsonCodec<RangeSpec>::write(const RangeSpec& range) { return Json::array({range.lo, range.hi}); }
RangeSpec JsonCodec<RangeSpec>::read(const JsonValue& value) {
  constexpr Millis longest = 10 * 60 * 1000;
  if (value.kind() == JsonValue::Kind::integer) {
    const Millis both = value.asInt64(0, longest);
    return {both, both};
  }
  if (value.elements().size() != 2) throw value.error("a range is [low, high], in ms");
  const RangeSpec range{value.elements()[0].asInt64(0, longest), value.elements()[1].asInt64(0, longest)};
  if (range.lo > range.hi) throw value.error("the range's low end is above its high end");
  return range;
}
Json JsonCodec<RangeSpec>::schema() {
  return {{"oneOf", Json::array({{{"type", "integer"}, {"minimum", 0}},
                                 {{"type", "array"},
                                  {"items", {{"type", "integer"}, {"minimum", 0}}},
                                  {"minItems", 2},
                                  {"maxItems", 2}}})}};
}

Json JsonCodec<WayOrAll>::write(const WayOrAll& way) { return way.way ? toJson(*way.way) : Json(true); }
WayOrAll JsonCodec<WayOrAll>::read(const JsonValue& value) {
  if (value.kind() == JsonValue::Kind::boolean && value.asBool()) return {};
  return {zablab::read<Way>(value)};
}
Json JsonCodec<WayOrAll>::schema() {
  return {{"oneOf", Json::array({{{"const", true}}, {{"$ref", "#/$defs/Way"}}})}};
}

Json JsonCodec<Count>::write(const Count& count) { return {{"min", count.min}, {"max", count.max}}; }
Count JsonCodec<Count>::read(const JsonValue& value) {
  if (value.kind() == JsonValue::Kind::integer) {
    const std::int64_t exactly = value.asInt64(0);
    return {exactly, exactly};
  }
  Count count{0};
  for (const JsonValue& member : value.members()) {
    if (member.key() == "min")
      count.min = member.asInt64(0);
    else if (member.key() == "max")
      count.max = member.asInt64(0);
    else
      throw value.keyError(member.key(), "a count is a number, or has `min` and `max`");
  }
  if (count.min > count.max) throw value.error("`min` is above `max`");
  return count;
}
Json JsonCodec<Count>::schema() {
  return {{"oneOf",
           Json::array({{{"type", "integer"}, {"minimum", 0}},
                        {{"type", "object"},
                         {"properties", {{"min", {{"type", "integer"}}}, {"max", {{"type", "integer"}}}}},
                         {"additionalProperties", false}}})}};
}

Scenario readScenario(const JsonValue& document) {
  const JsonValue* kind = document.kind() == JsonValue::Kind::object ? document.find("kind") : nullptr;
  if (kind == nullptr)
    throw document.error("this is no scenario: `kind` is missing", "write \"kind\": \"scenario\"");
  if (kind->asString() != "scenario") throw document.keyError("kind", "`kind` is not \"scenario\"");
  Scenario scenario = read<Scenario>(document);
  checkTime(document, "until", scenario.until);
  if (scenario.restart_after_ms) checkTime(document, "restart_after_ms", *scenario.restart_after_ms);
  if (scenario.servers.has_value() == scenario.zoo_cfg.has_value()) {
    throw document.error("a scenario has `servers`, or a `zoo_cfg` that names them", "as in \"servers\": 3");
  }
  if (scenario.timing.connect_timeout_ms < 1) {
    throw document.find("timing")->keyError("connect_timeout_ms", "`connect_timeout_ms` is at least 1");
  }
  if (const auto& datagrams = scenario.timing.datagrams) {
    const JsonValue& place = *document.find("timing")->find("datagrams");
    for (const auto& [key, share] : {std::pair{"lost_permille", datagrams->lost_permille},
                                     {"doubled_permille", datagrams->doubled_permille}}) {
      if (share < 0 || share > 1000) throw place.keyError(key, inBackticks(key) + " is from 0 to 1000");
    }
    if (datagrams->lost_permille + datagrams->doubled_permille > 1000)
      throw place.error("more than a thousand of a thousand are lost or come twice");
    checkTime(place, "until", datagrams->until);
  }
  for (const auto& [address, value] : scenario.choices) {
    if (value > static_cast<std::uint64_t>(time_max))
      throw document.find("choices")->keyError(address, "a choice is at most a year, in ms");
  }
  if (scenario.servers) {
    std::vector<ServerSpec> all = scenario.servers->list;
    for (ServerSpec& client : clientsOf(scenario)) all.push_back(std::move(client));
    checkStepsAndExpectations(scenario, document, all);
  }
  for (std::size_t i = 0; i < scenario.fails_with.size(); ++i) {
    const FailsWith& how = scenario.fails_with[i];
    if ((how.mutation.empty() ? 0 : 1) + (how.rule.empty() ? 0 : 1) + (how.variant.empty() ? 0 : 1) != 1) {
      throw document.find("fails_with")->elements()[i].error("say one of `mutation`, `rule` and `variant`");
    }
  }
  if (scenario.fails && scenario.mutations.empty() && scenario.rules.empty() && scenario.variant.empty())
    throw document.keyError("fails", "nothing is changed that could make it fail",
                            "name it in `mutations`, `rules` or `variant`");
  return scenario;
}

bool StepSpec::takeOther(const JsonValue& member) {
  if (member.kind() != JsonValue::Kind::object) return false;
  if (member.find("client") == nullptr) {  // it may be forgotten, or the key may be another's, and mistyped
    const std::vector<std::string> fields = json_detail::memberNames<AskSpec>();
    for (const JsonValue& field : member.members()) {
      if (std::find(fields.begin(), fields.end(), field.key()) == fields.end()) return false;
    }
  }
  if (ask) throw member.error("a step does one thing: " + word + ", " + member.key(), "split it");
  word = member.key();
  ask = zablab::read<AskSpec>(member);
  return true;
}

void StepSpec::writeOther(Json& step) const {
  if (ask) step[word] = toCompactJson(*ask);
}

Scenario unchanged(Scenario scenario) {
  scenario.fails = false;
  if (!scenario.mutations.empty()) {
    scenario.mutations.clear();
  } else if (!scenario.rules.empty()) {
    scenario.rules.clear();
  } else {
    scenario.variant.clear();
  }
  return scenario;
}

std::vector<ServerSpec> clientsOf(const Scenario& scenario) {
  std::vector<ServerSpec> clients;
  for (const ClientSpec& client : scenario.clients) {
    const std::string name = client.name.empty() ? "client " + std::to_string(client.id) : client.name;
    clients.push_back({.id = client.id, .name = name, .role = "client"});
  }
  return clients;
}

void checkStepsAndExpectations(const Scenario& scenario, const JsonValue& document,
                               const std::vector<ServerSpec>& servers) {
  const ServerNames names(servers);
  std::set<ServerId> taken;
  for (const ServerSpec& server : servers) {
    if (taken.insert(server.id).second) continue;
    throw document.keyError("clients", "the id " + std::to_string(server.id) + " is taken",
                            "clients and servers have ids of their own");
  }
  if (scenario.clients.size() > clients_max) {
    throw document.keyError("clients", "there are at most " + std::to_string(clients_max) + " clients");
  }
  for (std::size_t i = 0; i < scenario.clients.size(); ++i) {
    const auto& client = scenario.clients[i];
    const JsonValue& place = document.find("clients")->elements()[i];
    if (client.id < 0) throw place.keyError("id", "an id is a whole number from 0");
    if (client.server) names.check(place, "server", *client.server);
  }
  for (std::size_t i = 0; i < scenario.steps.size(); ++i) {
    checkStep(document.find("steps")->elements()[i], scenario.steps[i], names, i == 0);
  }
  for (std::size_t i = 0; i < scenario.expect.size(); ++i) {
    checkExpectation(document.find("expect")->elements()[i], scenario.expect[i], names, true);
  }
}

void checkNumbers(const JsonValue& value) {
  constexpr std::int64_t largest = std::int64_t{1} << 60;
  if (value.kind() == JsonValue::Kind::integer) {
    const std::int64_t number = value.asInt64();
    if (number == std::numeric_limits<std::int64_t>::min()) return;
    if (number < -largest || number > largest) {
      throw value.kindError("a whole number from " + std::to_string(-largest) + " to " +
                            std::to_string(largest));
    }
  } else if (value.kind() == JsonValue::Kind::array) {
    for (const JsonValue& element : value.elements()) checkNumbers(element);
  } else if (value.kind() == JsonValue::Kind::object) {
    for (const JsonValue& member : value.members()) checkNumbers(member);
  }
}

bool covers(const Json& value, const Json& pattern) {
  if (pattern.is_array() && value.is_array()) {
    return std::equal(value.begin(), value.end(), pattern.begin(), pattern.end(), covers);
  }
  if (!pattern.is_object()) return value == pattern;
  if (!value.is_object()) return false;
  for (const auto& [key, wanted] : pattern.items()) {
    const auto found = value.find(key);
    if (found == value.end()) {
      if (!wanted.is_null()) return false;
    } else if (!covers(*found, wanted)) {
      return false;
    }
  }
  return true;
}

bool matches(const EventPattern& pattern, const TraceEvent& event) {
  for (const JsonValue& wanted : pattern.fields.members()) {
    const std::string& key = wanted.key();
    if (key == "kind") {
      if (event.kind != wanted.asString()) return false;
    } else if (key == "node") {
      if (event.node != wanted.asInt64()) return false;
    } else {
      const Json* found = fieldOf(event, key);
      if (found == nullptr || !covers(*found, wanted.plain())) return false;
    }
  }
  return true;
}

}  // namespace zablab
