// Checks, before a run, that patterns ask for things that can exist: kinds of events, fields, names of
// values, servers, links. A misspelt pattern would match nothing, and "never" would always hold.
#pragma once

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "protocol/timer_kinds.h"
#include "sim/binding.h"
#include "sim/happened.h"
#include "sim/json_reflect.h"
#include "sim/run.h"

namespace zablab {
namespace pattern_detail {

using namespace json_detail;

template <class T>
void checkShape(const JsonValue& pattern);

/// Whether `key` is a field of T; if so, its value is checked.
template <DescribedStruct T>
bool checkField(const JsonValue& member) {
  bool known = false;
  forEachMember<T>([&](std::string_view name, auto pointer) {
    if (known || name != member.key()) return;
    known = true;
    checkShape<std::remove_cvref_t<decltype(std::declval<T>().*pointer)>>(member);
  });
  return known;
}

template <DescribedStruct T>
void checkFields(const JsonValue& pattern, bool tagged = false) {
  for (const JsonValue& member : pattern.members()) {
    if (tagged && member.key() == "type") continue;
    if (!checkField<T>(member)) throwUnknownKey(member, memberNames<T>(), nowCalled<T>(member.key()));
  }
}

/// A pattern without `type` may be about any of the alternatives.
template <class V>
void checkAlternatives(const JsonValue& pattern) {
  const JsonValue* type = pattern.kind() == JsonValue::Kind::object ? pattern.find("type") : nullptr;
  std::vector<std::string> names;
  std::optional<InputError> first;
  bool fits = false;
  forEachAlternative<V>([&]<class A>() {
    names.emplace_back(A::name);
    if (fits || (type != nullptr && type->asString() != A::name)) return;
    try {
      checkFields<A>(pattern, true);
      fits = true;
    } catch (const InputError& error) {
      if (!first) first = error;
    }
  });
  if (fits) return;
  if (!first) throwUnknownName(*type, "type", names, typeNowCalled<V>(*type));
  throw *first;
}

/// Checks that a value of T can have what the pattern asks for. Throws InputError.
template <class T>
void checkShape(const JsonValue& pattern) {
  if (pattern.isNull()) return;  // the field must be absent
  if constexpr (AnyJson<T>) {
    return;
  } else if constexpr (HasCodec<T>) {
    if constexpr (requires { typename JsonCodec<T>::Fields; }) {
      if (pattern.kind() == JsonValue::Kind::object)
        return checkFields<typename JsonCodec<T>::Fields>(pattern);
    } else if constexpr (DescribedStruct<T>) {
      if (pattern.kind() == JsonValue::Kind::object) return checkFields<T>(pattern);
    }
    const Json written = JsonCodec<T>::write(JsonCodec<T>::read(pattern));
    if (written != pattern.plain())
      throw pattern.error(inBackticks(pattern.plain().dump()) + " never matches", "write " + written.dump());
  } else if constexpr (IsOptional<T>::value) {
    checkShape<typename T::value_type>(pattern);
  } else if constexpr (IsVariant<T>::value) {
    checkAlternatives<T>(pattern);
  } else if constexpr (IsPair<T>::value) {
    requireCount(pattern, 2);
    checkShape<typename T::first_type>(pattern.elements()[0]);
    checkShape<typename T::second_type>(pattern.elements()[1]);
  } else if constexpr (ObjectMap<T>) {
    for (const JsonValue& member : pattern.members()) {
      if constexpr (Integer<typename T::key_type>) {
        const bool digits =
            !member.key().empty() && member.key().find_first_not_of("-0123456789") == std::string::npos;
        if (!digits) throwBadKey(pattern, member, "a whole number");
      }
      checkShape<typename T::mapped_type>(member);
    }
  } else if constexpr (Map<T>) {
    for (const JsonValue& entry : pattern.elements()) {
      requireCount(entry, 2);
      checkShape<typename T::key_type>(entry.elements()[0]);
      checkShape<typename T::mapped_type>(entry.elements()[1]);
    }
  } else if constexpr (Container<T> && !Text<T>) {
    for (const JsonValue& element : pattern.elements()) checkShape<typename T::value_type>(element);
  } else if constexpr (DescribedStruct<T>) {
    checkFields<T>(pattern);
  } else {
    read<T>(pattern);
  }
}

inline void checkWord(const JsonValue& value, std::string_view what, const std::vector<std::string>& known,
                      std::string_view now = {}) {
  if (std::find(known.begin(), known.end(), value.asString()) == known.end())
    throwUnknownName(value, what, known, now);
}

}  // namespace pattern_detail

/// What the patterns of a scenario may ask for. Throws InputError.
template <class F>
class PatternChecker {
 public:
  explicit PatternChecker(const Cluster<F>& cluster) : cluster_(cluster) {
    for (const auto& link : F::links) links_.emplace_back(link.name);
  }

  /// Of an event: `kind`, `node`, and fields of the event's data or of what it carries.
  void checkEvent(const JsonValue& pattern) const {
    const JsonValue* kind = pattern.find("kind");
    if (const JsonValue* node = pattern.find("node")) checkServer(*node);
    if (kind != nullptr) pattern_detail::checkWord(*kind, "kind", kinds());
    for (const JsonValue& member : pattern.members()) {
      if (member.key() == "kind" || member.key() == "node") continue;
      if (kind != nullptr) {
        checkField(pattern, kind->asString(), member);
      } else if (!isFieldOfAny(pattern, member)) {
        throw pattern.keyError(member.key(), "no event has the field " + inBackticks(member.key()));
      }
    }
  }

  /// Of a message: what a `sent` event has.
  void checkPacket(const JsonValue& pattern) const {
    for (const JsonValue& member : pattern.members()) {
      if (member.key() == "kind" || member.key() == "node")
        throw pattern.keyError(member.key(), "a packet has no " + inBackticks(member.key()));
      checkField(pattern, "sent", member);
    }
  }

  /// Of a server's state: `up`, `disk`, and the node's fields.
  void checkState(const JsonValue& pattern) const {
    for (const JsonValue& member : pattern.members()) {
      if (member.key() == "up") {
        pattern_detail::checkShape<bool>(member);
      } else if (member.key() == "disk") {
        pattern_detail::checkShape<typename F::Durable>(member);
      } else if (!pattern_detail::checkField<typename F::Node>(member)) {
        json_detail::throwUnknownKey(member, fieldsOfState(),
                                     json_detail::nowCalled<typename F::Node>(member.key()));
      }
    }
  }

  /// A path into a state, as in `equal`: `current_vote.leader`.
  void checkPath(const JsonValue& place, std::string_view key, const std::string& path) const {
    const std::string first = path.substr(0, path.find('.'));
    const std::vector<std::string> known = fieldsOfState();
    if (std::find(known.begin(), known.end(), first) == known.end()) {
      const std::string meant = nearest(first, known);
      throw place.keyError(key, "a state has no " + inBackticks(first),
                           meant.empty() ? "" : "did you mean " + meant + "?");
    }
  }

  /// The kinds of events that a trace of this family may have.
  static std::vector<std::string> kinds() {
    std::vector<std::string> all{"note", "held", "released", "skipped", "set"};
    forEachEnumerator<Kind>([&](std::string_view name, Kind kind) {
      const bool silent =
          kind == Kind::event || kind == Kind::step_over || kind == Kind::dialled || kind == Kind::timer_set;
      const bool answer = kind == Kind::durable || kind == Kind::age;
      if (!silent && (F::Vocabulary::asks_world || !answer)) all.emplace_back(name);
    });
    json_detail::forEachAlternative<typename F::Event>([&]<class A>() { all.emplace_back(A::name); });
    return all;
  }

 private:
  static std::vector<std::string> fieldsOfState() {
    std::vector<std::string> names = json_detail::memberNames<typename F::Node>();
    names.insert(names.end(), {"up", "disk"});
    return names;
  }

  void checkServer(const JsonValue& value) const {
    const ServerId id = value.asInt64();
    if (id != no_server && cluster_.indexOf(id) < 0)
      throw value.error("there is no server " + std::to_string(id));
  }
  void checkServers(const JsonValue& value) const {
    if (value.kind() != JsonValue::Kind::array) return checkServer(value);
    for (const JsonValue& one : value.elements()) checkServers(one);
  }

  bool isFieldOfAny(const JsonValue& pattern, const JsonValue& member) const {
    for (const std::string& kind : kinds()) {
      try {
        checkField(pattern, kind, member);
        return true;
      } catch (const InputError&) {
      }
    }
    return false;
  }

  template <class V>
  static std::vector<std::string> namesOf() {
    std::vector<std::string> names;
    json_detail::forEachAlternative<V>([&]<class A>() { names.emplace_back(A::name); });
    return names;
  }

  /// A field of a message or a record, of the type that the pattern names or of any type.
  template <class V>
  static bool isCarried(const JsonValue& pattern, const JsonValue& member, std::string_view type_key) {
    const JsonValue* type = pattern.find(type_key);
    std::optional<InputError> first;
    bool known = false;
    json_detail::forEachAlternative<V>([&]<class A>() {
      if (known ||
          (type != nullptr && type->kind() == JsonValue::Kind::string && type->asString() != A::name))
        return;
      try {
        known = pattern_detail::checkField<A>(member);
      } catch (const InputError& error) {
        if (!first) first = error;
      }
    });
    if (!known && first) throw *first;
    return known;
  }

  /// Throws if an event of this kind has no such field, or if the field cannot have this value.
  void checkField(const JsonValue& pattern, const std::string& kind, const JsonValue& member) const {
    using pattern_detail::checkWord;
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
    if (of_message && key == "link") return checkWord(member, "link", links_);
    if (of_message && is({"receiver", "from", "peer", "between"})) return checkServers(member);
    if (kindIs({"sent", "delivered", "lost", "transmitted"}) && is({"message", "label"})) return;
    if (kindIs({"sent", "delivered"}) && key == "type")
      return checkWord(member, "type", namesOf<typename F::Message>(),
                       json_detail::typeNowCalled<typename F::Message>(member));
    if (kind == "lost" && key == "reason") return pattern_detail::checkShape<LossReason>(member);
    if (kind == "delivered" && key == "late") return;
    if (kind == "sent" && is({"waiting", "again", "copy"})) return;
    if (kind == "sent" && key == "content") return pattern_detail::checkShape<typename F::Message>(member);
    if (kind == "sent" && isCarried<typename F::Message>(pattern, member, "type")) return;
    if (kindIs({"written", "synced", "write_failed"})) {
      if (key == "record") return checkWord(member, "record", namesOf<typename F::Record>());
      if (key == "content") return pattern_detail::checkShape<typename F::Record>(member);
      if (kind == "written" && key == "durable") return;
      if (isCarried<typename F::Record>(pattern, member, "record")) return;
    }
    if (kind == "started" || kind == "taken_up") {
      if (key == "how") return checkWord(member, "how", {"start", "restart", "placed"});
      if (key == "disk") return pattern_detail::checkShape<typename F::Durable>(member);
    }
    if (kind == "stopped" && key == "how") return pattern_detail::checkShape<HowStopped>(member);
    if (kind == "stopped" && key == "reason") return;
    if (kind == "timer" && key == "timer") {
      if constexpr (is_joined<typename F::TimerKind>) {
        std::vector<std::string> names;
        forEachTimerKind<typename F::TimerKind>(
            [&](std::string_view name, auto) { names.emplace_back(name); });
        return checkWord(member, "timer", names);
      } else {
        return pattern_detail::checkShape<typename F::TimerKind>(member);
      }
    }
    if constexpr (std::is_same_v<typename F::Vocabulary::TimerKey, ServerId>) {
      if (kind == "timer" && key == "peer") return checkServers(member);
    } else {
      if (kind == "timer" && key == "key")
        return pattern_detail::checkShape<typename F::Vocabulary::TimerKey>(member);
    }
    if constexpr (F::Vocabulary::asks_world) {
      using V = typename F::Vocabulary;
      if (kind == "durable" && key == "key")
        return pattern_detail::checkShape<typename V::DurableKey>(member);
      if (kind == "age" && key == "key") return pattern_detail::checkShape<typename V::MarkKey>(member);
      if (kind == "age" && key == "ms") return;
    }
    if (kindIs({"cut", "healed"}) && key == "links") return checkServers(member);
    if (kindIs({"held", "released"}) && key == "selector") return;
    if (kind == "skipped" && key == "action") return;
    if (kind == "set" && is({"unnatural", "fields"})) return;
    if (kind == "asked" && pattern_detail::checkField<typename F::Request>(member)) return;
    bool known = false;
    json_detail::forEachAlternative<typename F::Event>([&]<class A>() {
      if (known || A::name != kind) return;
      known = pattern_detail::checkField<A>(member);
    });
    if (known) return;
    throw pattern.keyError(key,
                           "an event of the kind " + inBackticks(kind) + " has no field " + inBackticks(key),
                           "docs/traces.md and docs/scenarios.md list kinds and fields");
  }

  const Cluster<F>& cluster_;
  std::vector<std::string> links_;
};

}  // namespace zablab
