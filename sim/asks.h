// What a family reads from a scenario under its own keys: what is requested of a client, and fields of a
// server or of the whole scenario.
//
// A request is a variant of described structs, each named by its word. The word's value is the struct's first
// field, or `true` if it has no field or leaves it to its default; the other fields are written next to it:
//
//     struct CompareAndSet { static constexpr std::string_view name = "compare_and_set";
//                            std::optional<std::int64_t> value; std::int64_t expected; };
//     {"client": 101, "compare_and_set": 7, "expected": 3}
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "sim/binding.h"
#include "sim/json_reflect.h"
#include "sim/scenario.h"

namespace zablab {
namespace asks_detail {

using json_detail::forEachAlternative;
using json_detail::forEachMember;

/// The name of the struct's first field; empty if it has no field.
template <class T>
constexpr std::string_view firstField() {
  std::string_view first;
  forEachMember<T>([&](std::string_view name, auto) {
    if (first.empty()) first = name;
  });
  return first;
}

template <class Asks>
std::vector<std::string> words() {
  std::vector<std::string> words;
  forEachAlternative<Asks>([&]<class T>() { words.emplace_back(T::name); });
  return words;
}

/// The keys that may accompany the word of `T`.
template <class T>
std::vector<std::string> keysBeside() {
  std::vector<std::string> keys;
  forEachMember<T>([&](std::string_view name, auto) {
    if (name != firstField<T>()) keys.emplace_back(name);
  });
  return keys;
}

template <class T>
T readOne(const JsonValue& place, const OwnMembers& members) {
  T ask{};
  const std::vector<std::string> known = keysBeside<T>();
  for (const JsonValue& member : members) {
    const bool is_word = member.key() == T::name;
    if (!is_word && std::find(known.begin(), known.end(), member.key()) == known.end())
      throw place.keyError(member.key(), inBackticks(T::name) + " has no " + inBackticks(member.key()),
                           known.empty() ? "" : "it has: " + json_detail::listOf(known));
    const std::string_view key = is_word ? firstField<T>() : std::string_view(member.key());
    const bool by_default = is_word && member.kind() == JsonValue::Kind::boolean && member.asBool();
    if (is_word && key.empty() && !by_default)
      throw member.error(inBackticks(T::name) + " takes no value but `true`");
    forEachMember<T>([&](std::string_view name, auto pointer) {
      if (name != key) return;
      using Field = std::remove_cvref_t<decltype(ask.*pointer)>;
      static_assert(!std::is_same_v<Field, bool>, "`true` selects a default");
      if (by_default && json_detail::IsOptional<Field>::value) return;
      json_detail::assign(ask.*pointer, member, json_detail::Mode::make);
    });
  }
  if constexpr (json_detail::HasRequired<T>) {
    for (const std::string_view name : T::required) {
      const auto says = [&](const JsonValue& member) { return member.key() == name; };
      if (name != firstField<T>() && std::none_of(members.begin(), members.end(), says))
        json_detail::throwMissing(place, name, {});
    }
  }
  return ask;
}

}  // namespace asks_detail

/// The request that the members, located in `place`, describe. Throws InputError.
template <class Asks>
Asks readAsks(const JsonValue& place, const OwnMembers& members) {
  const std::vector<std::string> words = asks_detail::words<Asks>();
  const auto isWord = [&](const JsonValue& member) {
    return std::find(words.begin(), words.end(), member.key()) != words.end();
  };
  const auto word = std::find_if(members.begin(), members.end(), isWord);
  if (word == members.end()) {
    if (!members.empty() && members.front().key() == "operation")
      throw members.front().errorAtKey(
          "the request is a key of its own now",
          "as in {\"client\": 101, \"" + words.front() + "\": true}; scripts/migrate.py rewrites files");
    if (members.empty()) throw place.error("there is no request", "one of: " + json_detail::listOf(words));
    json_detail::throwUnknownKey(members.front(), words);
  }
  Asks asks;
  asks_detail::forEachAlternative<Asks>([&]<class T>() {
    if (word->key() == T::name) asks = asks_detail::readOne<T>(place, members);
  });
  return asks;
}

/// The keys of an object that describes this request.
template <class Asks>
Json writeAsks(const Asks& asks) {
  Json object = Json::object();
  std::visit(
      [&]<class T>(const T& ask) {
        object[std::string(T::name)] = true;
        asks_detail::forEachMember<T>([&](std::string_view name, auto pointer) {
          const auto& field = ask.*pointer;
          const bool first = name == asks_detail::firstField<T>();
          const std::string key(first ? std::string_view(T::name) : name);
          if constexpr (json_detail::IsOptional<std::remove_cvref_t<decltype(field)>>::value) {
            if (field) object[key] = toJson(*field);
          } else {
            object[key] = toJson(field);
          }
        });
      },
      asks);
  return object;
}

/// The fields that the members give; `keys` are the other keys next to them. Throws InputError.
template <class Fields>
Fields readOwn(const OwnMembers& members, std::vector<std::string> keys) {
  Fields fields{};
  for (const JsonValue& member : members) {
    bool known = false;
    asks_detail::forEachMember<Fields>([&](std::string_view name, auto pointer) {
      if (name != member.key()) return;
      known = true;
      json_detail::assign(fields.*pointer, member, json_detail::Mode::make);
    });
    if (known) continue;
    for (std::string& name : json_detail::memberNames<Fields>()) keys.push_back(std::move(name));
    json_detail::throwUnknownKey(member, keys);
  }
  return fields;
}

/// Fields of servers or of scenarios, for a family that defines none.
struct NoFields {};
BOOST_DESCRIBE_STRUCT(NoFields, (), ())

namespace asks_detail {
template <class F>
using ServerFields = typename Binding<F>::ServerFields;
template <class F>
using ScenarioFields = typename Binding<F>::ScenarioFields;
}  // namespace asks_detail

template <class F>
using ServerFieldsOf = boost::mp11::mp_eval_or<NoFields, asks_detail::ServerFields, F>;
template <class F>
using ScenarioFieldsOf = boost::mp11::mp_eval_or<NoFields, asks_detail::ScenarioFields, F>;

/// The family's own fields of a server. Throws InputError.
template <class Fields>
Fields fieldsOf(const ServerSpec& server) {
  return server.own.empty() ? Fields{} : readOwn<Fields>(server.own, json_detail::memberNames<ServerSpec>());
}
/// The family's own fields of a scenario or a model; `keys` are its other keys. Throws InputError.
template <class Fields>
Fields fieldsOf(const Setting& setting, std::vector<std::string> keys = {}) {
  return setting.own.empty() ? Fields{} : readOwn<Fields>(setting.own, std::move(keys));
}

/// The keys that are a family's own, with what each may be, for the formats' schemas.
struct OwnKeys {
  Json step = Json::object();
  Json server = Json::object();
  Json scenario = Json::object();
};
template <class F>
OwnKeys ownKeys() {
  OwnKeys keys;
  json_detail::SchemaBuilder builder("");
  const auto add = [&]<class T>(Json& properties, std::string_view first) {
    asks_detail::forEachMember<T>([&](std::string_view name, auto pointer) {
      using Field = std::remove_cvref_t<decltype(std::declval<T>().*pointer)>;
      Json schema = builder.template schema<Field>();
      const bool is_word = !first.empty() && name == asks_detail::firstField<T>();
      if (is_word && json_detail::IsOptional<Field>::value)
        schema = {{"oneOf", Json::array({std::move(schema), {{"const", true}}})}};
      properties[std::string(is_word ? first : name)] = std::move(schema);
    });
    if (!first.empty() && asks_detail::firstField<T>().empty())
      properties[std::string(first)] = {{"const", true}};
  };
  asks_detail::forEachAlternative<typename Binding<F>::Asks>(
      [&]<class T>() { add.template operator()<T>(keys.step, T::name); });
  add.template operator()<ServerFieldsOf<F>>(keys.server, "");
  add.template operator()<ScenarioFieldsOf<F>>(keys.scenario, "");
  return keys;
}

}  // namespace zablab
