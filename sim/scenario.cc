#include "sim/scenario.h"

#include <algorithm>
#include <set>
#include <utility>

#include "protocol/overloaded.h"
#include "sim/components.h"
#include "sim/trace.h"

namespace zablab {
namespace {

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
                       near.empty() ? "known names: " + oneOf(known) : "did you mean \"" + near + "\"?");
}

/// The word that names a step's action; empty if it is a request.
std::string_view stepWord(const StepSpec& spec) {
  return visit(
      []<class T>(const T&) -> std::string_view {
        if constexpr (requires { T::word; }) {
          return T::word;
        } else {
          return {};
        }
      },
      spec.does);
}

/// Checks that only existing servers are named.
class ServerNames {
 public:
  explicit ServerNames(const std::vector<ServerSpec>& servers) {
    for (const ServerSpec& server : servers) {
      (server.client ? clients_ : known_).insert(server.id);
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
  if (time < 0) throw where.keyError(key, inBackticks(key) + " is negative", "times count from 0, in ms");
  if (time > time_max) throw where.keyError(key, inBackticks(key) + " is more than a year");
}

void checkPartition(const JsonValue& value, const std::vector<std::vector<ServerId>>& sides,
                    const ServerNames& names) {
  std::set<ServerId> seen;
  for (const auto& side : sides) {
    names.check(value, "partition", side);
    for (const ServerId id : side) {
      if (!seen.insert(id).second)
        throw value.keyError("partition", "server " + std::to_string(id) + " is on two sides");
    }
  }
}

void checkAsk(const JsonValue& value, const step::Ask& ask, const ServerNames& names) {
  if (ask.client) {
    names.checkClient(value, "client", ask.who);
  } else {
    names.checkServer(value, "server", ask.who);
  }
  if (ask.times < 1 || ask.times > 5000) throw value.keyError("times", "`times` is from 1 to 5000");
  checkTime(value, "every", ask.every);
}

/// What a step does, and to whom.
void checkDoes(const JsonValue& value, const StepSpec& spec, const ServerNames& names) {
  const auto check = [&](std::string_view word, auto... ids) { (names.check(value, word, ids), ...); };
  const auto checkWay = [&](std::string_view word, const auto& way) { check(word, way.from, way.to); };
  if (const Ids* ids = idsOf(spec)) check(value.find(stepWord(spec))->key(), ids->list);
  visit(
      Overloaded{
          [](const auto&) {},
          [&](const step::Partition& partition) { checkPartition(value, partition.with, names); },
          [&](const step::Cut& cut) { checkWay(cut.word, cut.with); },
          [&](const step::Heal& heal) {
            if (heal.with.way) checkWay(heal.word, *heal.with.way);
          },
          [&](const step::Break& broken) {
            if (broken.with.between.size() != 2)
              throw value.keyError("break", "a connection is between two servers");
            check(broken.word, broken.with.between);
          },
          [&](const step::Hold& hold) { checkWay(hold.word, hold.with); },
          [&](const step::Release& release) { checkWay(release.word, release.with); },
          [&](const step::Drop& drop) { checkWay(drop.word, drop.with); },
          [&](const step::Repeat& repeat) { checkWay(repeat.word, repeat.with); },
          [&](const step::Send& send) {
            check(send.word, send.with.from);
            if (send.with.repeat < 1 || send.with.repeat > 10'000)
              throw value.keyError("send", "`repeat` is from 1 to 10000");
          },
          [&](const step::Disk& disk) {
            check(disk.word, disk.with.server);
            requireOneOf(*value.find("disk"), disk.with.fault, {"error", "stall", "resume", "none"}, "fault");
          },
          [&](const step::Set& set) { names.checkServer(value, "set", set.with.server); },
          [&](const step::Clock& clock) {
            check(clock.word, clock.with.server);
            if (clock.with.permille < 1 || clock.with.permille > 1'000'000)
              throw value.keyError("clock", "`permille` is from 1 to 1000000");
          },
          [&](const step::Ask& ask) { checkAsk(value, ask, names); }},
      spec.does);
}

void checkWhen(const JsonValue& value, const StepSpec& spec) {
  const When& when = *spec.when;
  const JsonValue& place = *value.find("when");
  requireOneOf(place, when.edge, {"after", "before", "during"}, "edge");
  if (when.nth < 1) throw value.keyError("when", "`nth` counts from 1");
  checkTime(place, "plus", when.plus);
  if (when.by) checkTime(place, "by", *when.by);
  const JsonValue* kind = when.event.fields.find("kind");
  const bool writes =
      kind != nullptr && kind->kind() == JsonValue::Kind::string && kind->asString() == "written";
  if (when.edge == "during" && !writes)
    throw value.keyError("when", "only `written` takes long enough that something can happen during it");
  if (when.edge != "after" && !spec.is<step::Kill>() && !spec.is<step::Stop>() && !spec.is<step::PowerLoss>())
    throw value.keyError(
        "when", "only `stop`, `kill` and `power_loss` can be done just before something or during it");
}

void checkStep(const JsonValue& value, const StepSpec& spec, const ServerNames& names, bool first) {
  if ((spec.at ? 1 : 0) + (spec.after ? 1 : 0) + (spec.when ? 1 : 0) > 1)
    throw value.error("a step has one of `at`, `after` and `when`", "split it in two");
  if (spec.at) checkTime(value, "at", *spec.at);
  if (spec.after) {
    checkTime(value, "after", *spec.after);
    if (first) throw value.keyError("after", "the first step has no previous step", "write `at`");
  }
  checkDoes(value, spec, names);
  if (spec.when) checkWhen(value, spec);
}

/// An expectation that names nothing to compare would always be met.
void checkCompares(const JsonValue& value, const ExpectSpec& expect) {
  const auto is_empty = [](const JsonValue& object) { return object.plain().empty(); };
  if (expect.server && expect.server->list.empty()) throw value.keyError("server", "no server is named");
  if (expect.state && is_empty(*expect.state))
    throw value.keyError("state", "an empty `state` compares nothing", "name fields, as in {\"up\": true}");
  if (expect.packets && expect.packets->contains && expect.packets->contains->empty())
    throw value.find("packets")->keyError("contains", "an empty `contains` compares nothing",
                                          "`\"exactly\": []` expects that nothing is sent");
  if (expect.equal) {
    const std::set<ServerId> servers(expect.equal->servers.begin(), expect.equal->servers.end());
    if (servers.size() != expect.equal->servers.size() || servers.size() < 2)
      throw value.find("equal")->keyError("servers", "`equal` compares two servers or more, each named once");
  }
  if (expect.count && (expect.never || expect.not_within))
    throw value.keyError("count", "`count` does not go together with `never` and `not_within`");
}

/// A place in time that the condition does not have would be ignored.
void checkPlaceApplies(const JsonValue& value, const ExpectSpec& expect) {
  constexpr std::array without_event{"always", "finally", "at_event"};
  constexpr std::array all{"at", "by", "never", "not_within", "always", "finally", "at_event"};
  for (const char* place : all) {
    const JsonValue* const found = value.find(place);
    if (found == nullptr) continue;
    for (const char* whole : {"order", "packets", "invariant"}) {
      if (value.find(whole) != nullptr)
        throw found->errorAtKey(inBackticks(whole) + " applies to the whole run",
                                "leave the place in time out");
    }
    if (value.find("any_of") != nullptr)
      throw found->errorAtKey(inBackticks(place) + " does not apply to what is in `any_of`",
                              "each alternative has its own place in time");
    if (expect.event &&
        std::find(without_event.begin(), without_event.end(), std::string_view(place)) != without_event.end())
      throw found->errorAtKey("an `event` has one of at, by, never and not_within");
  }
}

void checkExpectation(const JsonValue& value, const ExpectSpec& expect, const ServerNames& names) {
  const int places = (expect.at ? 1 : 0) + (expect.by ? 1 : 0) + (expect.always ? 1 : 0) +
                     (expect.never ? 1 : 0) + (expect.not_within ? 1 : 0) + (expect.finally_ ? 1 : 0) +
                     (expect.at_event ? 1 : 0);
  const int things = (expect.state ? 1 : 0) + (expect.event ? 1 : 0) + (expect.packets ? 1 : 0) +
                     (expect.equal ? 1 : 0) + (expect.invariant ? 1 : 0) + (expect.any_of.empty() ? 0 : 1) +
                     (expect.order.empty() ? 0 : 1);
  if (things != 1) {
    throw value.error(
        things == 0 ? "an expectation has no condition" : "an expectation has more than one condition",
        "one of: state (with server), event, order, packets, equal, invariant, any_of");
  }
  const bool timeless =
      expect.packets || expect.invariant || !expect.any_of.empty() || expect.event || !expect.order.empty();
  checkPlaceApplies(value, expect);
  if (places > 1 || (places == 0 && !timeless)) {
    throw value.error("an expectation has one place in time",
                      "one of: at, by, always, never, not_within, finally, at_event");
  }
  if (expect.state && !expect.server) throw value.error("the state of which server? `server` is missing");
  if (expect.server && !expect.state)
    throw value.keyError("server", "`server` is whose `state` is expected", "an `event` has a `node`");
  if (expect.server) names.check(value, "server", expect.server->list);
  if (expect.equal) names.check(value, "equal", expect.equal->servers);
  if (expect.packets && (expect.packets->exactly ? 1 : 0) + (expect.packets->contains ? 1 : 0) != 1) {
    throw value.keyError("packets", "use `exactly` or `contains`");
  }
  if (expect.invariant) {
    requireOneOf(*value.find("invariant"), expect.invariant->verdict, {"held", "violated", "not exercised"},
                 "verdict");
  }
  if (expect.order.size() == 1) throw value.keyError("order", "`order` has at least two events");
  if (expect.count && !expect.event) throw value.keyError("count", "`count` counts an `event`");
  checkCompares(value, expect);
  for (const auto& [key, time] : {std::pair{"at", expect.at}, {"by", expect.by}}) {
    if (time) checkTime(value, key, *time);
  }
  for (std::size_t i = 0; i < expect.any_of.size(); ++i) {
    checkExpectation(value.find("any_of")->elements()[i], expect.any_of[i], names);
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
  }
  return servers;
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
  if (count.min == 0 && count.max == Count{}.max)
    throw value.error("every number fits this count", "give `max`, or a `min` from 1");
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
    throw document.error("this is not a scenario: `kind` is missing", "write \"kind\": \"scenario\"");
  if (kind->asString() != "scenario") throw document.keyError("kind", "`kind` is not \"scenario\"");
  Scenario scenario = read<Scenario>(document);
  checkTime(document, "until", scenario.until);
  if (const JsonValue* expect = document.find("expect"); expect != nullptr && scenario.expect.empty())
    throw expect->errorAtKey("`expect` is empty", "expect something, or leave it out");
  if (scenario.restart_after_ms) checkTime(document, "restart_after_ms", *scenario.restart_after_ms);
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
      throw place.error("more than 1000 of 1000 messages are lost or duplicated");
    checkTime(place, "until", datagrams->until);
  }
  for (const auto& [address, value] : scenario.choices) {
    if (value > static_cast<std::uint64_t>(time_max))
      throw document.find("choices")->keyError(address, "a choice is at most a year, in ms");
  }
  if (scenario.fails && scenario.mutations.empty() && scenario.rules.empty() && scenario.variant.empty())
    throw document.keyError("fails", "nothing is changed that could make it fail",
                            "name it in `mutations`, `rules` or `variant`");
  return scenario;
}

std::vector<std::string> scenarioKeys() { return json_detail::structTypeOf<Scenario>().names(); }

bool takeOwn(OwnMembers& own, const JsonValue& member) {
  own.push_back(member);
  return true;
}
void writeOwn(const OwnMembers& own, Json& object) {
  for (const JsonValue& member : own) object[member.key()] = member.plain();
}

namespace {

/// Throws the error for an unknown key; for a key of older files it names the present one.
[[noreturn]] void throwOldKey(const JsonValue& member) {
  const std::string& key = member.key();
  if (key == "look") throw member.errorAtKey("`look` is `prompt` now", "scripts/migrate.py rewrites files");
  if (key == "keep")
    throw member.errorAtKey(
        "`keep` is in `power_loss` now",
        "as in \"power_loss\": {\"servers\": 1, \"keep\": 2}; scripts/migrate.py rewrites files");
  if (member.kind() == JsonValue::Kind::object && member.find("client") != nullptr)
    throw member.errorAtKey(
        "`client` is a key beside " + inBackticks(key) + " now",
        "as in \"client\": 101, " + Json(key).dump() + ": true; scripts/migrate.py rewrites files");
  json_detail::throwUnknownKey(member, JsonCodec<StepSpec>::keys());
}

}  // namespace

bool ServerSpec::takeOther(const JsonValue& member) { return takeOwn(own, member); }
void ServerSpec::writeOther(Json& server) const { writeOwn(own, server); }
bool Setting::takeOther(const JsonValue& member) { return takeOwn(own, member); }
void Setting::writeOther(Json& setting) const { writeOwn(own, setting); }

Ids* idsOf(StepSpec& spec) { return const_cast<Ids*>(idsOf(std::as_const(spec))); }
const Ids* idsOf(const StepSpec& spec) {
  return visit(
      []<class T>(const T& does) -> const Ids* {
        if constexpr (requires {
                        { does.with } -> std::same_as<const Ids&>;
                      })
          return &does.with;
        if constexpr (std::is_same_v<T, step::PowerLoss>) return &does.with.servers;
        return nullptr;
      },
      spec.does);
}

std::vector<std::string> JsonCodec<StepSpec>::keys() {
  std::vector<std::string> keys{"at", "after", "when"};
  forEachDoing([&]<class T>() { keys.emplace_back(T::word); });
  for (const char* key : {"client", "server", "times", "every", "closed"}) keys.emplace_back(key);
  return keys;
}

Json JsonCodec<StepSpec>::write(const StepSpec& spec) {
  Json step = Json::object();
  if (spec.at) step["at"] = *spec.at;
  if (spec.after) step["after"] = *spec.after;
  if (spec.when) step["when"] = toCompactJson(*spec.when);
  visit(
      [&]<class T>(const T& does) {
        if constexpr (requires { T::word; }) step[std::string(T::word)] = toCompactJson(does.with);
        if constexpr (std::is_same_v<T, step::Ask>) {
          step[does.client ? "client" : "server"] = does.who;
          writeOwn(does.what, step);
          if (does.times != 1) step["times"] = does.times;
          if (does.every != 0) step["every"] = does.every;
          if (does.closed) step["closed"] = true;
        }
      },
      spec.does);
  return step;
}

namespace {

/// What a step requests: the keys that do not state who, when and how often are the family's own.
step::Ask readAsk(const JsonValue& value) {
  step::Ask ask;
  ask.client = value.find("client") != nullptr;
  if (ask.client && value.find("server") != nullptr)
    throw value.keyError("server", "a step asks a client or a server", "split it");
  for (const JsonValue& member : value.members()) {
    const std::string& key = member.key();
    if (key == "client" || key == "server") {
      ask.who = read<ServerId>(member);
    } else if (key == "times") {
      ask.times = read<std::int64_t>(member);
    } else if (key == "every") {
      ask.every = read<Millis>(member);
    } else if (key == "closed") {
      ask.closed = read<bool>(member);
    } else if (key != "at" && key != "after" && key != "when") {
      ask.what.push_back(member);
    }
  }
  return ask;
}

StepSpec::Does readDoes(const JsonValue& value) {
  StepSpec::Does does;
  std::vector<std::string> words;
  for (const JsonValue& member : value.members()) {
    const std::string& key = member.key();
    if (key == "at" || key == "after" || key == "when") continue;
    if (key == "times" || key == "every" || key == "closed")
      throw member.errorAtKey(inBackticks(key) + " repeats what a `client` or a `server` is asked");
    bool known = false;
    forEachDoing([&]<class T>() {
      if (key != T::word) return;
      does = T{read<decltype(T::with)>(member)};
      words.push_back(key);
      known = true;
    });
    if (!known) throwOldKey(member);
  }
  if (words.empty())
    throw value.error("a step does nothing", "add an action, as in {\"at\": 0, \"kill\": 1}");
  if (words.size() > 1) throw value.error("a step does one thing: " + json_detail::listOf(words), "split it");
  return does;
}

}  // namespace

StepSpec JsonCodec<StepSpec>::read(const JsonValue& value) {
  StepSpec spec;
  if (const JsonValue* at = value.find("at")) spec.at = zablab::read<Millis>(*at);
  if (const JsonValue* after = value.find("after")) spec.after = zablab::read<Millis>(*after);
  if (const JsonValue* when = value.find("when")) spec.when = zablab::read<When>(*when);
  if (value.find("client") != nullptr || value.find("server") != nullptr) {
    spec.does = readAsk(value);
  } else {
    spec.does = readDoes(value);
  }
  return spec;
}

Json JsonCodec<PowerLossSpec>::write(const PowerLossSpec& spec) {
  Json servers = toJson(spec.servers);
  return spec.keep == 0 ? servers : Json{{"servers", std::move(servers)}, {"keep", spec.keep}};
}
PowerLossSpec JsonCodec<PowerLossSpec>::read(const JsonValue& value) {
  if (value.kind() != JsonValue::Kind::object) return {zablab::read<Ids>(value)};
  PowerLossSpec spec;
  for (const JsonValue& member : value.members()) {
    if (member.key() == "servers") {
      spec.servers = zablab::read<Ids>(member);
    } else if (member.key() == "keep") {
      spec.keep = member.asInt64(0, 1'000'000);
    } else {
      json_detail::throwUnknownKey(member, {"servers", "keep"});
    }
  }
  if (value.find("servers") == nullptr) json_detail::throwMissing(value, "servers", {"servers", "keep"});
  return spec;
}
Json JsonCodec<PowerLossSpec>::schema() {
  return {
      {"oneOf",
       Json::array({JsonCodec<Ids>::schema(),
                    {{"type", "object"},
                     {"properties", {{"servers", JsonCodec<Ids>::schema()}, {"keep", {{"type", "integer"}}}}},
                     {"required", {"servers"}},
                     {"additionalProperties", false}}})}};
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
    clients.push_back({.id = client.id, .name = name, .client = true});
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
  if (scenario.loop) {
    const JsonValue& loop = *document.find("loop");
    const auto actions = static_cast<std::int64_t>(scenario.actions.size());
    if (!scenario.steps.empty())
      throw document.keyError("loop", "a loop is one of `actions`, and there are steps");
    if (scenario.loop->from < 0 || scenario.loop->from > actions)
      throw loop.keyError("from", "there is no action " + std::to_string(scenario.loop->from) +
                                      ": there are " + std::to_string(actions));
    if (scenario.loop->from == actions && !scenario.loop->without)
      throw loop.keyError("from", "no action is repeated, and nothing is said of the last state",
                          "say in `without` which states it is not");
    if (scenario.loop->times < 1 || scenario.loop->times > LoopSpec::times_max)
      throw loop.keyError("times",
                          "a loop is done from 1 to " + std::to_string(LoopSpec::times_max) + " times");
  }
  for (std::size_t i = 0; i < scenario.expect.size(); ++i) {
    checkExpectation(document.find("expect")->elements()[i], scenario.expect[i], names);
  }
  const auto checkLanguages = [](const JsonValue& texts) {
    for (const JsonValue& text : texts.members()) {
      if (text.key() != "en" && text.key() != "zh")
        throw text.errorAtKey("there is no language " + inBackticks(text.key()), "languages are: en, zh");
    }
  };
  if (const JsonValue* const translations = document.find("translations")) checkLanguages(*translations);
  if (!scenario.exercise) return;
  const JsonValue& exercise = *document.find("exercise");
  checkLanguages(*exercise.find("task"));
  if (scenario.exercise->expect.empty())
    throw exercise.keyError("expect", "an exercise without expectations is always solved");
  for (std::size_t i = 0; i < scenario.exercise->expect.size(); ++i)
    checkExpectation(exercise.find("expect")->elements()[i], scenario.exercise->expect[i], names);
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

bool isNobody(const Json& value) { return value.is_null() || value == Json(no_server); }

ServerId serverIn(const Json& value) { return value.is_null() ? no_server : value.get<ServerId>(); }

bool covers(const Json& value, const Json& pattern) {
  if (pattern.is_array() && value.is_array()) {
    return std::equal(value.begin(), value.end(), pattern.begin(), pattern.end(), covers);
  }
  if (!pattern.is_object()) return value == pattern || (isNobody(value) && isNobody(pattern));
  if (!value.is_object()) return false;
  for (const auto& [key, wanted] : pattern.items()) {
    const auto found = value.find(key);
    if (found == value.end()) {
      if (!isNobody(wanted)) return false;
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

template const json_detail::StructType& json_detail::structTypeOf<Scenario>();
template const json_detail::Type& json_detail::typeOf<StepSpec>();

}  // namespace zablab
