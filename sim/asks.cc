#include "sim/asks.h"

#include <algorithm>

namespace zablab::asks_detail {

using json_detail::listOf, json_detail::Mode, json_detail::OptionalType, json_detail::StructType;
using json_detail::throwMissing, json_detail::throwUnknownKey, json_detail::VariantType;

namespace {

/// The name of the struct's first field; empty if it has no field.
std::string_view firstField(const StructType& type) {
  return type.about.members.empty() ? std::string_view() : type.about.members.front().name;
}

/// The keys that may accompany the word of a request.
std::vector<std::string> keysBeside(const StructType& type) {
  std::vector<std::string> keys = type.names();
  if (!keys.empty()) keys.erase(keys.begin());
  return keys;
}

void assignField(const StructType& type, void* object, std::string_view name, const JsonValue& member) {
  for (std::size_t i = 0; i < type.about.members.size(); ++i) {
    if (type.about.members[i].name == name)
      type.about.members[i].type().assign(type.field(object, i), member, Mode::make);
  }
}

void readOne(const StructType& type, void* ask, const JsonValue& place, const OwnMembers& members) {
  const std::string_view word = type.about.name;
  const std::vector<std::string> known = keysBeside(type);
  for (const JsonValue& member : members) {
    const bool is_word = member.key() == word;
    if (!is_word && std::find(known.begin(), known.end(), member.key()) == known.end())
      throw place.keyError(member.key(), inBackticks(word) + " has no " + inBackticks(member.key()),
                           known.empty() ? "" : "it has: " + listOf(known));
    const std::string_view key = is_word ? firstField(type) : std::string_view(member.key());
    const bool by_default = is_word && member.kind() == JsonValue::Kind::boolean && member.asBool();
    if (is_word && key.empty() && !by_default)
      throw member.error(inBackticks(word) + " takes no value but `true`");
    const StructType::Member* const field = type.find(key);
    if (field != nullptr && !(by_default && field->type().asOptional() != nullptr))
      assignField(type, ask, key, member);
  }
  for (const std::string_view name : type.about.required) {
    const auto says = [&](const JsonValue& member) { return member.key() == name; };
    if (name != firstField(type) && std::none_of(members.begin(), members.end(), says))
      throwMissing(place, name, {});
  }
}

/// Adds the schemas of the struct's fields; `word`: of a request, whose first field has this name.
void addSchemas(json_detail::SchemaBuilder& builder, const StructType& type, std::string_view word,
                Json& properties) {
  for (const auto& [name, field] : type.about.members) {
    Json schema = field().schema(builder);
    const bool is_word = !word.empty() && name == firstField(type);
    if (is_word && field().asOptional() != nullptr)
      schema = {{"oneOf", Json::array({std::move(schema), {{"const", true}}})}};
    properties[std::string(is_word ? word : name)] = std::move(schema);
  }
  if (!word.empty() && type.about.members.empty()) properties[std::string(word)] = {{"const", true}};
}

}  // namespace

void readAsks(const VariantType& type, void* asks, const JsonValue& place, const OwnMembers& members) {
  const std::vector<std::string> words = type.names();
  const auto isWord = [&](const JsonValue& member) {
    return std::find(words.begin(), words.end(), member.key()) != words.end();
  };
  const auto word = std::find_if(members.begin(), members.end(), isWord);
  if (word == members.end()) {
    if (!members.empty() && members.front().key() == "operation")
      throw members.front().errorAtKey(
          "the request is a key of its own now",
          "as in {\"client\": 101, \"" + words.front() + "\": true}; scripts/migrate.py rewrites files");
    if (members.empty()) throw place.error("there is no request", "one of: " + listOf(words));
    throwUnknownKey(members.front(), words);
  }
  type.forEach([&](const StructType& one, std::size_t at) {
    if (word->key() == one.about.name) readOne(one, type.emplace(asks, at), place, members);
  });
}

Json writeAsks(const VariantType& type, const void* asks) {
  const auto [one, ask] = type.holds(asks);
  Json object = Json::object();
  object[std::string(one->about.name)] = true;
  Json fields = one->write(ask);
  for (auto& [name, value] : fields.items())
    object[name == firstField(*one) ? std::string(one->about.name) : name] = std::move(value);
  return object;
}

void readOwn(const StructType& type, void* fields, const OwnMembers& members, std::vector<std::string> keys) {
  for (const JsonValue& member : members) {
    if (type.find(member.key()) == nullptr) {
      for (std::string& name : type.names()) keys.push_back(std::move(name));
      throwUnknownKey(member, keys);
    }
    assignField(type, fields, member.key(), member);
  }
}

OwnKeys ownKeys(const VariantType& asks, const StructType& server, const StructType& scenario) {
  OwnKeys keys;
  json_detail::SchemaBuilder builder("");
  asks.forEach(
      [&](const StructType& type, std::size_t) { addSchemas(builder, type, type.about.name, keys.step); });
  addSchemas(builder, server, "", keys.server);
  addSchemas(builder, scenario, "", keys.scenario);
  return keys;
}

}  // namespace zablab::asks_detail
