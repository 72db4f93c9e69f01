#include "sim/patterns.h"

#include <initializer_list>

#include "sim/happened.h"

namespace zablab {

using json_detail::checkShape, json_detail::throwUnknownKey, json_detail::throwUnknownName;
using json_detail::structTypeOf, json_detail::StructType, json_detail::typeOf, json_detail::VariantType;

namespace {

void checkWord(const JsonValue& value, std::string_view what, const std::vector<std::string>& known,
               std::string_view now = {}) {
  if (std::find(known.begin(), known.end(), value.asString()) == known.end())
    throwUnknownName(value, what, known, now);
}

/// A field of a message or a record, of the type that the pattern names or of any type.
bool isCarried(const VariantType& carried, const JsonValue& pattern, const JsonValue& member,
               std::string_view type_key) {
  const JsonValue* type = pattern.find(type_key);
  std::optional<InputError> first;
  bool known = false;
  carried.forEach([&](const StructType& one, std::size_t) {
    if (known ||
        (type != nullptr && type->kind() == JsonValue::Kind::string && type->asString() != one.about.name))
      return;
    try {
      known = one.checkField(member);
    } catch (const InputError& error) {
      if (!first) first = error;
    }
  });
  if (!known && first) throw *first;
  return known;
}

}  // namespace

PatternChecker::PatternChecker(PatternTypes types, std::vector<ServerId> servers)
    : types_(std::move(types)), servers_(std::move(servers)) {}

void PatternChecker::checkEvent(const JsonValue& pattern) const {
  const JsonValue* kind = pattern.find("kind");
  if (const JsonValue* node = pattern.find("node")) checkServer(*node);
  if (kind != nullptr) checkWord(*kind, "kind", kinds());
  for (const JsonValue& member : pattern.members()) {
    if (member.key() == "kind" || member.key() == "node") continue;
    if (kind != nullptr) {
      checkField(pattern, kind->asString(), member);
    } else if (!isFieldOfAny(pattern, member)) {
      throw pattern.keyError(member.key(), "no event has the field " + inBackticks(member.key()));
    }
  }
}

void PatternChecker::checkPacket(const JsonValue& pattern) const {
  for (const JsonValue& member : pattern.members()) {
    if (member.key() == "kind" || member.key() == "node")
      throw pattern.keyError(member.key(), "a packet has no " + inBackticks(member.key()));
    checkField(pattern, "sent", member);
  }
}

void PatternChecker::checkState(const JsonValue& pattern) const {
  for (const JsonValue& member : pattern.members()) {
    if (member.key() == "up") {
      checkShape(typeOf<bool>(), member);
    } else if (member.key() == "disk") {
      checkShape(types_.durable, member);
    } else if (!types_.node.checkField(member)) {
      throwUnknownKey(member, fieldsOfState(), types_.node.nowCalled(member.key()));
    }
  }
}

void PatternChecker::checkPath(const JsonValue& place, std::string_view key, const std::string& path) const {
  const std::string first = path.substr(0, path.find('.'));
  const std::vector<std::string> known = fieldsOfState();
  if (std::find(known.begin(), known.end(), first) == known.end()) {
    const std::string meant = nearest(first, known);
    throw place.keyError(key, "a state has no " + inBackticks(first),
                         meant.empty() ? "" : "did you mean " + meant + "?");
  }
}

std::vector<std::string> PatternChecker::kinds() const {
  std::vector<std::string> all{"note", "held", "released", "skipped", "set"};
  forEachEnumerator<Kind>([&](std::string_view name, Kind kind) {
    const bool silent =
        kind == Kind::event || kind == Kind::step_over || kind == Kind::dialled || kind == Kind::timer_set;
    const bool answer = kind == Kind::durable || kind == Kind::age;
    if (!silent && (types_.durable_key != nullptr || !answer)) all.emplace_back(name);
  });
  for (std::string& name : types_.event.names()) all.push_back(std::move(name));
  return all;
}

std::vector<std::string> PatternChecker::fieldsOfState() const {
  std::vector<std::string> names = types_.node.names();
  names.insert(names.end(), {"up", "disk"});
  return names;
}

void PatternChecker::checkServer(const JsonValue& value) const {
  const ServerId id = value.asInt64();
  if (id != no_server && std::find(servers_.begin(), servers_.end(), id) == servers_.end())
    throw value.error("there is no server " + std::to_string(id));
}
void PatternChecker::checkServers(const JsonValue& value) const {
  if (value.kind() != JsonValue::Kind::array) return checkServer(value);
  for (const JsonValue& one : value.elements()) checkServers(one);
}

bool PatternChecker::isFieldOfAny(const JsonValue& pattern, const JsonValue& member) const {
  for (const std::string& kind : kinds()) {
    try {
      checkField(pattern, kind, member);
      return true;
    } catch (const InputError&) {
    }
  }
  return false;
}

/// Throws if an event of this kind has no such field, or if the field cannot have this value.
void PatternChecker::checkField(const JsonValue& pattern, const std::string& kind,
                                const JsonValue& member) const {
  const std::string& key = member.key();
  if (key == "picture") return;  // any event may have one
  const auto is = [&](std::initializer_list<std::string_view> names) {
    return std::find(names.begin(), names.end(), key) != names.end();
  };
  const auto kindIs = [&](std::initializer_list<std::string_view> names) {
    return std::find(names.begin(), names.end(), kind) != names.end();
  };
  if (key == "to" && kind == "sent" && member.kind() == JsonValue::Kind::integer)
    throw pattern.keyError(key, "a message's `to` is a field of its content, and not a server",
                           "the server that it is sent to is its `receiver`");
  const bool of_message =
      kindIs({"sent", "transmitted", "delivered", "lost", "connected", "refused", "closed", "broken"});
  if (of_message && key == "link") return checkWord(member, "link", types_.links);
  if (of_message && is({"receiver", "from", "peer", "between"})) return checkServers(member);
  if (kindIs({"sent", "delivered", "lost", "transmitted"}) && is({"message", "label", "label_said"})) return;
  if (kindIs({"sent", "delivered"}) && key == "type")
    return checkWord(member, "type", types_.message.names(), types_.message.nowCalled(member));
  if (kind == "lost" && key == "reason") return checkShape(typeOf<LossReason>(), member);
  if (kind == "delivered" && key == "late") return;
  if (kind == "sent" && is({"waiting", "again", "copy"})) return;
  if (kind == "sent" && key == "content") return checkShape(types_.message, member);
  if (kind == "sent" && isCarried(types_.message, pattern, member, "type")) return;
  if (kindIs({"written", "synced", "write_failed"})) {
    if (key == "record") return checkWord(member, "record", types_.record.names());
    if (key == "content") return checkShape(types_.record, member);
    if (kind == "written" && key == "durable") return;
    if (isCarried(types_.record, pattern, member, "record")) return;
  }
  if (kind == "started" || kind == "taken_up") {
    if (key == "how") return checkWord(member, "how", {"start", "restart", "placed"});
    if (key == "disk") return checkShape(types_.durable, member);
  }
  if (kind == "stopped" && key == "how") return checkShape(typeOf<HowStopped>(), member);
  if (kind == "stopped" && key == "reason") return;
  if (kind == "timer" && key == "timer" && member.isNull()) return;  // it must be absent
  if (kind == "timer" && key == "timer") return checkWord(member, "timer", types_.timers);
  if (kind == "timer" && key == "peer" && types_.timer_key == nullptr) return checkServers(member);
  if (kind == "timer" && key == "key" && types_.timer_key != nullptr)
    return checkShape(*types_.timer_key, member);
  if (types_.durable_key != nullptr) {
    if (kind == "durable" && key == "key") return checkShape(*types_.durable_key, member);
    if (kind == "age" && key == "key") return checkShape(*types_.mark_key, member);
    if (kind == "age" && key == "ms") return;
  }
  if (kindIs({"cut", "healed"}) && key == "links") return checkServers(member);
  if (kindIs({"held", "released"}) && key == "selector") return;
  if (kind == "skipped" && key == "action") return;
  if (kind == "set" && is({"unnatural", "fields"})) return;
  if (kind == "asked" && types_.request.checkField(member)) return;
  const StructType* const event = types_.event.find(kind);
  if (event != nullptr && event->checkField(member)) return;
  throw pattern.keyError(key,
                         "an event of the kind " + inBackticks(kind) + " has no field " + inBackticks(key),
                         "`zablab list events --protocol P` lists kinds and fields");
}

}  // namespace zablab
