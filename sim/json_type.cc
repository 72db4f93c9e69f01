#include "sim/json_type.h"

#include <algorithm>
#include <charconv>
#include <cstring>

namespace zablab::json_detail {

namespace {

/// Makes room for so many members. A vector of members that grows copies them, since their keys are constant.
void reserveMembers(Json& object, std::size_t count) { object.get_ref<Json::object_t&>().reserve(count); }

/// `now`: the present name of what had the name `word` in an older format; empty if there was none.
std::string hintFor(std::string_view word, const std::vector<std::string>& names, std::string_view now = {}) {
  constexpr std::size_t readable = 32;  // a longer list of names would hide the one that was probably meant
  if (!now.empty()) return "it is " + inBackticks(now) + " now; scripts/migrate.py rewrites files";
  const std::string meant = nearest(word, names);
  if (!meant.empty() && names.size() > readable) return "did you mean `" + meant + "`?";
  const std::string known = names.empty() ? "there are no names here" : "known names: " + listOf(names);
  return meant.empty() ? known : "did you mean `" + meant + "`? " + known;
}

std::string nameOf(const JsonValue& value) {
  return value.path().empty() ? "the top level" : inBackticks(value.path());
}

[[noreturn]] void throwDuplicate(const JsonValue& element) {
  throw element.error(nameOf(element) + " occurs twice in its list");
}

[[noreturn]] void throwBadKey(const JsonValue& object, const JsonValue& member, const std::string& expected) {
  throw object.keyError(member.key(), "the key " + inBackticks(member.key()) + " must be " + expected);
}

bool isText(const JsonValue& value, std::string_view text) {
  return value.kind() == JsonValue::Kind::string && value.asString() == text;
}

std::string_view presentName(std::span<const Renamed> former, const JsonValue& value) {
  for (const auto& [old_name, name] : former) {
    if (isText(value, old_name)) return name;
  }
  return {};
}

/// An integer of this many bytes, extended by its sign or by zeros.
std::int64_t load(const void* from, std::size_t bytes, bool is_signed) {
  const auto as = [&](auto number) {
    std::memcpy(&number, from, sizeof number);
    return static_cast<std::int64_t>(number);
  };
  switch (bytes) {
    case 1: return is_signed ? as(std::int8_t{}) : as(std::uint8_t{});
    case 2: return is_signed ? as(std::int16_t{}) : as(std::uint16_t{});
    case 4: return is_signed ? as(std::int32_t{}) : as(std::uint32_t{});
    default: return as(std::int64_t{});
  }
}

void store(void* to, std::size_t bytes, std::int64_t value) {
  const auto as = [&](auto number) { std::memcpy(to, &number, sizeof number); };
  switch (bytes) {
    case 1: return as(static_cast<std::uint8_t>(value));
    case 2: return as(static_cast<std::uint16_t>(value));
    case 4: return as(static_cast<std::uint32_t>(value));
    default: return as(value);
  }
}

Json integerSchema(Json min, Json max) {
  Json schema = Json::object();
  schema["type"] = "integer";
  schema["minimum"] = std::move(min);
  schema["maximum"] = std::move(max);
  return schema;
}

Json namesSchema(const std::vector<std::string>& names) {
  Json schema = Json::object();
  schema["type"] = "string";
  schema["enum"] = names;
  return schema;
}

Json nullable(Json schema) {
  if (schema.empty()) return schema;
  if (schema.size() == 1 && schema.contains("anyOf")) {
    schema["anyOf"].push_back(typeSchema("null"));
    return schema;
  }
  Json either = Json::object();
  either["anyOf"] = Json::array();
  either["anyOf"].push_back(std::move(schema));
  either["anyOf"].push_back(typeSchema("null"));
  return either;
}

Json mapSchema(Json values, bool integer_keys) {
  Json schema = typeSchema("object");
  if (integer_keys) schema["propertyNames"]["pattern"] = "^(0|-?[1-9][0-9]*)$";
  schema["additionalProperties"] = std::move(values);
  return schema;
}

Json reference(const std::string& name) {
  Json schema = Json::object();
  schema["$ref"] = "#/$defs/" + name;
  return schema;
}

template <class T>
T& at(void* value) {
  return *static_cast<T*>(value);
}
template <class T>
const T& at(const void* value) {
  return *static_cast<const T*>(value);
}

}  // namespace

void checkShape(const Type& type, const JsonValue& pattern) {
  if (!pattern.isNull()) type.checkShape(pattern);
}

// ---- single values

Json BoolType::write(const void* value) const { return at<bool>(value); }
void BoolType::assign(void* target, const JsonValue& json, Mode) const { at<bool>(target) = json.asBool(); }
Json BoolType::schema(SchemaBuilder&) const { return typeSchema("boolean"); }
void BoolType::checkShape(const JsonValue& pattern) const { pattern.asBool(); }

Json IntegerType::write(const void* value) const {
  if (min_ >= 0) return static_cast<std::uint64_t>(load(value, bytes_, false));
  if (isNobody(value)) return nullptr;
  return load(value, bytes_, true);
}
bool IntegerType::isNobody(const void* value) const {
  return min_ == no_server && load(value, bytes_, true) == no_server;
}
void IntegerType::assignNobody(void* target) const { store(target, bytes_, no_server); }
void IntegerType::assign(void* target, const JsonValue& json, Mode) const {
  store(target, bytes_,
        min_ < 0 ? json.asInt64(min_, static_cast<std::int64_t>(max_))
                 : static_cast<std::int64_t>(json.asUint64(max_)));
}
Json IntegerType::schema(SchemaBuilder&) const {
  if (min_ < 0) return integerSchema(min_, static_cast<std::int64_t>(max_));
  return integerSchema(std::uint64_t{0}, max_);
}
void IntegerType::checkShape(const JsonValue& pattern) const {
  std::int64_t number = 0;
  assign(&number, pattern, Mode::make);
}
std::string IntegerType::text(const void* value) const {
  const std::int64_t number = load(value, bytes_, min_ < 0);
  return min_ < 0 ? std::to_string(number) : std::to_string(static_cast<std::uint64_t>(number));
}
bool IntegerType::assignText(void* target, const std::string& text) const {
  const char* const end = text.data() + text.size();
  bool fits = false;
  if (min_ < 0) {
    std::int64_t number = 0;
    fits = std::from_chars(text.data(), end, number).ec == std::errc{} && number >= min_ &&
           number <= static_cast<std::int64_t>(max_);
    store(target, bytes_, number);
  } else {
    std::uint64_t number = 0;
    fits = std::from_chars(text.data(), end, number).ec == std::errc{} && number <= max_;
    store(target, bytes_, static_cast<std::int64_t>(number));
  }
  // One spelling for each number: "07" would be a second key 7.
  return fits && this->text(target) == text;
}
std::string IntegerType::range() const {
  return "from " + std::to_string(min_) + " to " + std::to_string(max_);
}

std::vector<std::string> EnumType::names() const {
  std::vector<std::string> names;
  for (const Enumerator& one : enumerators_) names.emplace_back(one.name);
  return names;
}
Json EnumType::write(const void* value) const {
  const std::int64_t number = load(value, bytes_, true);
  for (const Enumerator& one : enumerators_) {
    if (one.value == number) return std::string(one.name);
  }
  return "?";
}
void EnumType::assign(void* target, const JsonValue& json, Mode) const {
  for (const Enumerator& one : enumerators_) {
    if (isText(json, one.name)) return store(target, bytes_, one.value);
  }
  throwUnknownName(json, "name", names(), presentName(former_, json));
}
Json EnumType::schema(SchemaBuilder&) const { return namesSchema(names()); }
void EnumType::checkShape(const JsonValue& pattern) const {
  std::int64_t number = 0;
  assign(&number, pattern, Mode::make);
}

Json TextType::write(const void* value) const { return at<std::string>(value); }
void TextType::assign(void* target, const JsonValue& json, Mode) const {
  at<std::string>(target) = json.asString();
}
Json TextType::schema(SchemaBuilder&) const { return typeSchema("string"); }
void TextType::checkShape(const JsonValue& pattern) const { pattern.asString(); }

Json EmptyType::write(const void*) const { return nullptr; }
void EmptyType::assign(void*, const JsonValue& json, Mode) const {
  if (!json.isNull()) throw json.kindError("null");
}
Json EmptyType::schema(SchemaBuilder&) const { return typeSchema("null"); }
void EmptyType::checkShape(const JsonValue& pattern) const { throw pattern.kindError("null"); }

Json AnyType::write(const void* value) const {
  return places_ ? at<JsonValue>(value).plain() : at<Json>(value);
}
void AnyType::assign(void* target, const JsonValue& json, Mode) const {
  if (places_) {
    at<JsonValue>(target) = json;
  } else {
    at<Json>(target) = json.plain();
  }
}
Json AnyType::schema(SchemaBuilder&) const { return Json::object(); }

// ---- values of other values

Json OptionalType::write(const void* value) const {
  const void* const held = get(value);
  return held == nullptr ? Json() : inner_().write(held);
}
void OptionalType::assign(void* target, const JsonValue& json, Mode mode) const {
  if (json.isNull() && !keeps_null_) return reset(target);
  const void* const held = get(target);
  if (held != nullptr && mode == Mode::merge) return inner_().assign(const_cast<void*>(held), json, mode);
  inner_().assign(emplace(target), json, Mode::make);
}
Json OptionalType::schema(SchemaBuilder& builder) const { return nullable(inner_().schema(builder)); }
void OptionalType::checkShape(const JsonValue& pattern) const { inner_().checkShape(pattern); }

Json PairType::write(const void* value) const {
  Json pair = Json::array();
  parts(value, [&](const void* first, const void* second) {
    pair.push_back(first_().write(first));
    pair.push_back(second_().write(second));
  });
  return pair;
}
void PairType::assign(void* target, const JsonValue& json, Mode) const {
  requireCount(json, 2);
  fill(
      target, [&](void* first) { first_().assign(first, json.elements()[0], Mode::make); },
      [&](void* second) { second_().assign(second, json.elements()[1], Mode::make); });
}
Json PairType::schema(SchemaBuilder& builder) const {
  std::vector<Json> items;
  items.push_back(first_().schema(builder));
  items.push_back(second_().schema(builder));
  return tupleSchema(std::move(items));
}
void PairType::checkShape(const JsonValue& pattern) const {
  requireCount(pattern, 2);
  json_detail::checkShape(first_(), pattern.elements()[0]);
  json_detail::checkShape(second_(), pattern.elements()[1]);
}

Json ListType::write(const void* value) const {
  Json array = Json::array();
  each(value, [&](const void* element) { array.push_back(element_().write(element)); });
  return array;
}
Json ListType::writeCompact(const void* value) const {
  Json array = Json::array();
  each(value, [&](const void* element) { array.push_back(element_().writeCompact(element)); });
  return array;
}
void ListType::assign(void* target, const JsonValue& json, Mode) const {
  if (count_ > 0) {
    requireCount(json, count_);
  } else {
    clear(target);
  }
  std::size_t i = 0;
  for (const JsonValue& element : json.elements()) {
    const bool added = add(target, i++, [&](void* made) { element_().assign(made, element, Mode::make); });
    if (!added) throwDuplicate(element);
  }
}
Json ListType::schema(SchemaBuilder& builder) const {
  Json array = arraySchema(element_().schema(builder));
  if (unique_) addMember(array, "uniqueItems", true);
  if (count_ > 0) {
    addMember(array, "minItems", count_);
    addMember(array, "maxItems", count_);
  }
  return array;
}
void ListType::checkShape(const JsonValue& pattern) const {
  for (const JsonValue& element : pattern.elements()) json_detail::checkShape(element_(), element);
}

std::string MapType::keyText(const void* key) const {
  return keys_ == Keys::text ? at<std::string>(key) : integer().text(key);
}
Json MapType::write(const void* value) const {
  Json written = isObject() ? Json::object() : Json::array();
  if (isObject()) reserveMembers(written, size(value));
  each(value, [&](const void* key, const void* mapped) {
    if (isObject()) {
      addMember(written, keyText(key), mapped_().write(mapped));
    } else {
      written.push_back(Json::array({key_().write(key), mapped_().write(mapped)}));
    }
  });
  return written;
}
void MapType::assign(void* target, const JsonValue& json, Mode) const {
  clear(target);
  if (!isObject()) {
    for (const JsonValue& entry : json.elements()) {
      requireCount(entry, 2);
      const bool added = add(
          target, [&](void* key) { key_().assign(key, entry.elements()[0], Mode::make); },
          [&](void* mapped) { mapped_().assign(mapped, entry.elements()[1], Mode::make); });
      if (!added) throwDuplicate(entry.elements()[0]);
    }
    return;
  }
  for (const JsonValue& member : json.members()) {
    const auto readKey = [&](void* key) {
      if (keys_ == Keys::text) {
        at<std::string>(key) = member.key();
      } else if (!integer().assignText(key, member.key())) {
        throwBadKey(json, member, "a whole number " + integer().range());
      }
    };
    add(target, readKey, [&](void* mapped) { mapped_().assign(mapped, member, Mode::make); });
  }
}
Json MapType::schema(SchemaBuilder& builder) const {
  if (isObject()) return mapSchema(mapped_().schema(builder), keys_ == Keys::integer);
  std::vector<Json> items;
  items.push_back(key_().schema(builder));
  items.push_back(mapped_().schema(builder));
  return arraySchema(tupleSchema(std::move(items)));
}
void MapType::checkShape(const JsonValue& pattern) const {
  if (!isObject()) {
    for (const JsonValue& entry : pattern.elements()) {
      requireCount(entry, 2);
      json_detail::checkShape(key_(), entry.elements()[0]);
      json_detail::checkShape(mapped_(), entry.elements()[1]);
    }
    return;
  }
  for (const JsonValue& member : pattern.members()) {
    if (keys_ == Keys::integer) {
      const bool digits =
          !member.key().empty() && member.key().find_first_not_of("-0123456789") == std::string::npos;
      if (!digits) throwBadKey(pattern, member, "a whole number");
    }
    json_detail::checkShape(mapped_(), member);
  }
}

// ---- structs

std::vector<std::string> StructType::names() const {
  std::vector<std::string> names;
  for (const Member& member : about.members) names.emplace_back(member.name);
  return names;
}
const StructType::Member* StructType::find(std::string_view name) const {
  for (const Member& member : about.members) {
    if (member.name == name) return &member;
  }
  return nullptr;
}
std::string_view StructType::nowCalled(std::string_view key) const {
  for (const auto& [old_name, name] : about.former) {
    if (old_name == key) return name;
  }
  return {};
}
bool StructType::isRequired(std::string_view name) const {
  return std::find(about.required.begin(), about.required.end(), name) != about.required.end();
}

void StructType::writeMembers(Json& object, const void* value) const {
  reserveMembers(object, object.size() + about.members.size());
  for (std::size_t i = 0; i < about.members.size(); ++i) {
    const auto& [name, type] = about.members[i];
    const void* const member = field(value, i);
    if (const OptionalType* optional = type().asOptional()) {
      if (const void* held = optional->get(member)) addMember(object, name, optional->inner().write(held));
    } else {
      addMember(object, name, type().write(member));
    }
  }
  if (about.write_other != nullptr) about.write_other(value, object);
}
Json StructType::write(const void* value) const {
  Json object = Json::object();
  writeMembers(object, value);
  return object;
}
Json StructType::writeCompact(const void* value) const {
  Json object = Json::object();
  about.with_initial([&](const void* initial) {
    for (std::size_t i = 0; i < about.members.size(); ++i) {
      const auto& [name, type] = about.members[i];
      const void* const member = field(value, i);
      if (const OptionalType* optional = type().asOptional()) {
        if (const void* held = optional->get(member))
          addMember(object, name, optional->inner().writeCompact(held));
      } else if (isRequired(name) || type().write(member) != type().write(field(initial, i))) {
        addMember(object, name, type().writeCompact(member));
      }
    }
  });
  if (about.write_other != nullptr) about.write_other(value, object);
  return object;
}

bool StructType::mayBeNobody(std::size_t at) const {
  const auto* const integer = dynamic_cast<const IntegerType*>(&about.members[at].type());
  bool may_be = false;
  if (integer != nullptr)
    about.with_initial([&](const void* initial) { may_be = integer->isNobody(field(initial, at)); });
  return may_be;
}

void StructType::assignMembers(void* target, const JsonValue& object, Mode mode, bool tagged) const {
  const auto placeOf = [this](const Member& known) {
    return static_cast<std::size_t>(&known - about.members.data());
  };
  // In an object that names nobody other numbers may be null as well: an observer's vote has no epoch.
  const bool names_nobody =
      std::any_of(object.members().begin(), object.members().end(), [&](const JsonValue& member) {
        const Member* const known = member.isNull() ? find(member.key()) : nullptr;
        return known != nullptr && mayBeNobody(placeOf(*known));
      });
  const auto takesNull = [&](const Member& known, void* at) {
    const auto* const integer = dynamic_cast<const IntegerType*>(&known.type());
    if (integer == nullptr) return false;
    integer->assignNobody(at);
    return integer->isNobody(at);
  };
  for (const JsonValue& member : object.members()) {
    if (tagged && member.key() == "type") continue;
    if (const Member* known = find(member.key())) {
      void* const at = field(target, placeOf(*known));
      if (!(names_nobody && member.isNull() && takesNull(*known, at))) known->type().assign(at, member, mode);
    } else if (about.take_other == nullptr || !about.take_other(target, member)) {
      throwUnknownKey(member, names(), nowCalled(member.key()));
    }
  }
  if (mode == Mode::merge) return;
  for (const std::string_view name : about.required) {
    if (object.find(name) == nullptr) throwMissing(object, name, {});
  }
}
void StructType::assign(void* target, const JsonValue& json, Mode mode) const {
  assignMembers(target, json, mode, false);
}
Json StructType::schema(SchemaBuilder& builder) const { return builder.define(*this, false); }

bool StructType::checkField(const JsonValue& member) const {
  const Member* known = find(member.key());
  if (known != nullptr) json_detail::checkShape(known->type(), member);
  return known != nullptr;
}
void StructType::checkFields(const JsonValue& pattern, bool tagged) const {
  for (const JsonValue& member : pattern.members()) {
    if (tagged && member.key() == "type") continue;
    if (!checkField(member)) throwUnknownKey(member, names(), nowCalled(member.key()));
  }
}

// ---- variants

std::vector<std::string> VariantType::names() const {
  std::vector<std::string> names;
  forEach([&](const StructType& type, std::size_t) { names.emplace_back(type.about.name); });
  return names;
}
const StructType* VariantType::find(std::string_view name) const {
  const StructType* found = nullptr;
  forEach([&](const StructType& type, std::size_t) {
    if (found == nullptr && type.about.name == name) found = &type;
  });
  return found;
}
std::string_view VariantType::nowCalled(const JsonValue& type) const {
  std::string_view now;
  forEach([&](const StructType& one, std::size_t) {
    if (!one.about.former_name.empty() && isText(type, one.about.former_name)) now = one.about.name;
  });
  return now;
}
std::pair<const StructType*, const void*> VariantType::holds(const void* variant) const {
  const auto [index, value] = get(variant);
  const Alternative& one = alternatives_[index];
  return {one.type == nullptr ? nullptr : &one.type(), value};
}

Json VariantType::write(const void* value) const {
  const auto [type, alternative] = holds(value);
  if (type == nullptr) return nullptr;
  Json object = Json::object();
  addMember(object, "type", std::string(type->about.name));
  type->writeMembers(object, alternative);
  return object;
}
void VariantType::assign(void* target, const JsonValue& json, Mode) const {
  for (std::size_t i = 0; has_empty_ && json.isNull() && i < alternatives_.size(); ++i) {
    if (alternatives_[i].type == nullptr) {
      emplace(target, i);
      return;
    }
  }
  if (json.kind() != JsonValue::Kind::object)
    throw json.kindError(has_empty_ ? "an object with a `type`, or null" : "an object with a `type`");
  const JsonValue* type = json.find("type");
  if (type == nullptr) throwMissing(json, "type", names());
  bool known = false;
  forEach([&](const StructType& one, std::size_t i) {
    if (known || !isText(*type, one.about.name)) return;
    known = true;
    one.assignMembers(emplace(target, i), json, Mode::make, true);
  });
  if (!known) throwUnknownName(*type, "type", names(), nowCalled(*type));
}
Json VariantType::schema(SchemaBuilder& builder) const {
  Json either = Json::array();
  if (has_empty_) either.push_back(typeSchema("null"));
  forEach([&](const StructType& type, std::size_t) { either.push_back(builder.define(type, true)); });
  Json one_of = Json::object();
  addMember(one_of, "oneOf", std::move(either));
  return one_of;
}
void VariantType::checkShape(const JsonValue& pattern) const {
  const JsonValue* type = pattern.kind() == JsonValue::Kind::object ? pattern.find("type") : nullptr;
  std::optional<InputError> first;
  bool fits = false;
  forEach([&](const StructType& one, std::size_t) {
    if (fits || (type != nullptr && type->asString() != one.about.name)) return;
    try {
      one.checkFields(pattern, true);
      fits = true;
    } catch (const InputError& error) {
      if (!first) first = error;
    }
  });
  if (fits) return;
  if (!first) throwUnknownName(*type, "type", names(), nowCalled(*type));
  throw *first;
}

void CodecType::checkShape(const JsonValue& pattern) const {
  if (fields_ != nullptr && pattern.kind() == JsonValue::Kind::object)
    return fields_().checkFields(pattern, false);
  const Json written = again(pattern);
  if (written != pattern.plain())
    throw pattern.error(inBackticks(pattern.plain().dump()) + " never matches", "write " + written.dump());
}

// ---- schema

Json SchemaBuilder::define(const StructType& type, bool tagged) {
  for (const Name& known : names_) {
    if (known.type == &type && known.tagged == tagged) return reference(known.name);
  }
  const std::string title = std::exchange(title_, "");
  const auto& about = type.about;
  const std::string name = addName(type, tagged,
                                   !about.schema_name.empty() ? about.schema_name
                                   : tagged                   ? about.name
                                                              : title);
  addMember(definitions_, name, Json());  // keeps its place before the definitions it refers to

  Json properties = Json::object();
  Json required = Json::array();
  if (tagged) {
    Json constant = Json::object();
    addMember(constant, "const", std::string(about.name));
    addMember(properties, "type", std::move(constant));
    required.push_back("type");
  }
  for (std::size_t i = 0; i < about.members.size(); ++i) {
    const StructType::Member& member = about.members[i];
    Json property = member.type().schema(*this);
    if (type.mayBeNobody(i)) property = nullable(std::move(property));
    const std::string_view description =
        about.describe != nullptr ? about.describe(member.name) : std::string_view();
    if (!description.empty()) addMember(property, "description", std::string(description));
    addMember(properties, member.name, std::move(property));
  }
  for (const std::string_view field : about.required) required.push_back(std::string(field));

  Json definition = typeSchema("object");
  addMember(definition, "properties", std::move(properties));
  if (!required.empty()) addMember(definition, "required", std::move(required));
  addMember(definition, "additionalProperties",
            about.other == nullptr ? Json(false) : about.other().schema(*this));
  definitions_[name] = std::move(definition);
  return reference(name);
}

std::string SchemaBuilder::addName(const StructType& type, bool tagged, std::string_view wanted) {
  const auto fits = [](char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' ||
           c == '.' || c == '-';
  };
  std::string base;
  for (const char c : wanted) base += fits(c) ? c : '_';
  if (base.empty()) base = "type_" + std::to_string(names_.size() + 1);
  std::string name = base;
  const auto taken = [&] {
    return std::any_of(names_.begin(), names_.end(), [&](const Name& entry) { return entry.name == name; });
  };
  for (int number = 2; taken(); ++number) name = base + "_" + std::to_string(number);
  names_.push_back({&type, tagged, name});
  return name;
}

// ---- helpers

void addMember(Json& object, std::string_view key, Json value) {
  // This bypasses ordered_map's emplace, which would search for the key: it is known to be new.
  using Members = Json::object_t::Container;
  static_cast<Members&>(object.get_ref<Json::object_t&>()).emplace_back(std::string(key), std::move(value));
}

std::string listOf(const std::vector<std::string>& names) {
  std::string list;
  for (const std::string& name : names) list += (list.empty() ? "" : ", ") + name;
  return list;
}

void throwUnknownKey(const JsonValue& member, const std::vector<std::string>& known, std::string_view now) {
  std::string message = "unknown key " + inBackticks(member.key());
  if (const std::string object = member.objectPath(); !object.empty())
    message += " in " + inBackticks(object);
  std::string hint = hintFor(member.key(), known, now);
  if (!member.position())  // the message already has the path
    throw InputError(member.file(), std::nullopt, std::move(message), std::move(hint));
  throw member.errorAtKey(std::move(message), std::move(hint));
}

void throwUnknownName(const JsonValue& value, std::string_view what, const std::vector<std::string>& known,
                      std::string_view now) {
  if (value.kind() != JsonValue::Kind::string) throw value.kindError("a string", hintFor("", known));
  throw value.error(nameOf(value) + ": unknown " + std::string(what) + " " + inBackticks(value.asString()),
                    hintFor(value.asString(), known, now));
}

void throwMissing(const JsonValue& object, std::string_view key, const std::vector<std::string>& known) {
  throw object.error(nameOf(object) + " needs `" + std::string(key) + "`",
                     known.empty() ? "" : "known names: " + listOf(known));
}

void requireCount(const JsonValue& array, std::size_t count) {
  if (array.elements().size() == count) return;
  throw array.error(nameOf(array) + " must have " + std::to_string(count) +
                    (count == 1 ? " element" : " elements") + ", found " +
                    std::to_string(array.elements().size()));
}

Json typeSchema(std::string_view type) {
  Json schema = Json::object();
  schema["type"] = type;
  return schema;
}

Json arraySchema(Json items) {
  Json schema = typeSchema("array");
  schema["items"] = std::move(items);
  return schema;
}

Json tupleSchema(std::vector<Json> items) {
  Json schema = typeSchema("array");
  schema["minItems"] = items.size();
  schema["prefixItems"] = std::move(items);
  schema["items"] = false;
  return schema;
}

Json documentSchema(std::string title, const Json& root, Json definitions) {
  Json schema = Json::object();
  schema["$schema"] = "https://json-schema.org/draft/2020-12/schema";
  schema["title"] = std::move(title);
  schema.update(root);
  if (!definitions.empty()) schema["$defs"] = std::move(definitions);
  return schema;
}

}  // namespace zablab::json_detail
