// JSON, and JSON Schema, of any type whose fields protocol/reflect.h can list:
//
//   bool, integers, strings      themselves
//   enum                         its enumerator's name
//   optional                     absent as an empty field of a struct; null where a value is required
//   vector, set, array, pair     array
//   map, by strings or integers  object; an integer key is written as text
//   any other map                array of [key, value]
//   variant                      null for std::monostate, otherwise {"type": T::name, ...fields of T}
//   struct                       object of its fields, in order
//   Json, JsonValue              any JSON; a JsonValue keeps its places, also as an optional field
//
// Names of fields and enumerators lose one trailing underscore (`default_` is "default").
//
// A struct may define more about itself:
//
//   required       std::array of names: read() refuses an object without them
//   schema_name    its name in "$defs"
//   former         std::array of (old, new) names: the error about an old one states the new one
//   former_name    of a variant's alternative: the `name` that it had
//   describeField  static, from a field's name to its text for the schema, or ""
//   takeOther      takes a member that is not a field, or returns false; writeOther adds it to the object
//                  again; `Other` is its type
#pragma once

#include <algorithm>
#include <array>
#include <charconv>
#include <limits>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "protocol/reflect.h"
#include "sim/json.h"

namespace zablab {

/// Specialise for a type that defines its own JSON; it is then a leaf everywhere. Must be visible wherever
/// the type is written or read.
///
///     static Json write(const T&);
///     static T read(const JsonValue&);   // throws value.error(...)
///     static Json schema();        // or schema(json_detail::SchemaBuilder&), where it refers to other types
///     using Fields = ...;                // may: a described struct with the fields that its objects have
template <class T>
struct JsonCodec;

namespace json_detail {

/// Adds a member whose key the object does not have yet.
void addMember(Json& object, std::string_view key, Json value);

/// Joins them with commas.
std::string listOf(const std::vector<std::string>& names);

/// `now`: the present name of an older format's key; empty if it is not one.
[[noreturn]] void throwUnknownKey(const JsonValue& member, const std::vector<std::string>& known,
                                  std::string_view now = {});
[[noreturn]] void throwUnknownName(const JsonValue& value, std::string_view what,
                                   const std::vector<std::string>& known, std::string_view now = {});
[[noreturn]] void throwMissing(const JsonValue& object, std::string_view key,
                               const std::vector<std::string>& known);
[[noreturn]] void throwDuplicate(const JsonValue& element);
[[noreturn]] void throwBadKey(const JsonValue& object, const JsonValue& member, const std::string& expected);
void requireCount(const JsonValue& array, std::size_t count);

Json typeSchema(std::string_view type);
Json integerSchema(Json min, Json max);
Json namesSchema(const std::vector<std::string>& names);
Json nullable(Json schema);
Json arraySchema(Json items);
Json tupleSchema(std::vector<Json> items);
Json mapSchema(Json values, bool integer_keys);
Json reference(const std::string& name);
Json documentSchema(std::string title, const Json& root, Json definitions);

using reflect_detail::Container;
using reflect_detail::IsOptional;
using reflect_detail::IsPair;
using reflect_detail::IsVariant;

template <class T>
struct IsArray : std::false_type {};
template <class T, std::size_t N>
struct IsArray<std::array<T, N>> : std::true_type {};

template <class T>
concept HasCodec = requires(const T& value, const JsonValue& json) {
  JsonCodec<T>::write(value);
  JsonCodec<T>::read(json);
};
template <class T>
concept AnyJson = std::is_same_v<T, Json> || std::is_same_v<T, JsonValue>;
template <class T>
concept Integer = std::is_integral_v<T> && !std::is_same_v<T, bool>;
template <class T>
concept Text = std::is_same_v<T, std::string> || std::is_same_v<T, std::string_view>;
template <class T>
concept Map = Container<T> && requires {
  typename T::mapped_type;
};
template <class T>
concept ObjectMap = Map<T> &&(Text<typename T::key_type> || Integer<typename T::key_type>);
template <class T>
concept Set = Container<T> && !Map<T> && requires {
  typename T::key_type;
};
template <class T>
concept HasRequired = requires {
  T::required.size();
};

constexpr std::string_view jsonName(std::string_view cpp_name) {
  if (cpp_name.size() > 1 && cpp_name.ends_with('_')) cpp_name.remove_suffix(1);
  return cpp_name;
}

/// Calls `visit(json_name, pointer)` for every field, those of bases first.
template <DescribedStruct T, class Visit>
constexpr void forEachMember(Visit&& visit) {
  using Members =
      boost::describe::describe_members<T, boost::describe::mod_public | boost::describe::mod_inherited>;
  boost::mp11::mp_for_each<Members>([&](auto member) { visit(jsonName(member.name), member.pointer); });
}

template <DescribedStruct T>
constexpr bool hasMember(std::string_view name) {
  bool found = false;
  forEachMember<T>([&](std::string_view member, auto) { found = found || member == name; });
  return found;
}

template <DescribedStruct T>
constexpr bool requiredAreMembers() {
  if constexpr (HasRequired<T>) {
    for (const std::string_view name : T::required) {
      if (!hasMember<T>(name)) return false;
    }
  }
  return true;
}

/// The present name of the field that had this name in an older format; empty if there was none.
template <class T>
std::string_view nowCalled(std::string_view key) {
  if constexpr (requires { T::former.size(); }) {
    for (const auto& names : T::former) {
      if (names.first == key) return names.second;
    }
  }
  return {};
}

template <DescribedStruct T>
std::vector<std::string> memberNames() {
  std::vector<std::string> names;
  forEachMember<T>([&](std::string_view name, auto) { names.emplace_back(name); });
  return names;
}

template <DescribedEnum E>
std::vector<std::string> enumeratorNames() {
  std::vector<std::string> names;
  forEachEnumerator<E>([&](std::string_view name, E) { names.emplace_back(jsonName(name)); });
  return names;
}

/// Calls `visit.template operator()<T>()` for every alternative of the variant V except std::monostate.
template <class V, class Visit>
void forEachAlternative(Visit&& visit) {
  using Alternatives =
      boost::mp11::mp_transform<std::type_identity, boost::mp11::mp_rename<V, boost::mp11::mp_list>>;
  boost::mp11::mp_for_each<Alternatives>([&](auto identity) {
    using T = typename decltype(identity)::type;
    if constexpr (!std::is_same_v<T, std::monostate>) {
      static_assert(DescribedStruct<T> && !HasCodec<T>, "a variant's alternatives must be described structs");
      static_assert(!hasMember<T>("type"), "`type` is taken by the alternative's name");
      visit.template operator()<T>();
    }
  });
}

template <class V>
inline constexpr bool has_monostate =
    boost::mp11::mp_contains<boost::mp11::mp_rename<V, boost::mp11::mp_list>, std::monostate>::value;

// ---- writing

template <class T>
Json write(const T& value);

template <DescribedStruct T>
void writeMembers(Json& object, const T& value) {
  forEachMember<T>([&](std::string_view name, auto pointer) {
    const auto& field = value.*pointer;
    using Field = std::remove_cvref_t<decltype(field)>;
    if constexpr (IsOptional<Field>::value && !HasCodec<Field>) {
      if (field) addMember(object, name, write(*field));
    } else {
      addMember(object, name, write(field));
    }
  });
  if constexpr (requires { value.writeOther(object); }) value.writeOther(object);
}

template <class T>
Json write(const T& value) {
  if constexpr (HasCodec<T>) {
    return JsonCodec<T>::write(value);
  } else if constexpr (std::is_same_v<T, Json>) {
    return value;
  } else if constexpr (std::is_same_v<T, JsonValue>) {
    return value.plain();
  } else if constexpr (std::is_same_v<T, bool>) {
    return Json(value);
  } else if constexpr (std::is_enum_v<T>) {
    static_assert(DescribedEnum<T>, "describe the enumerators with BOOST_DESCRIBE_ENUM");
    return Json(std::string(jsonName(enumName(value))));
  } else if constexpr (Integer<T> && std::is_signed_v<T>) {
    return Json(std::int64_t{value});
  } else if constexpr (Integer<T>) {
    return Json(std::uint64_t{value});
  } else if constexpr (Text<T>) {
    return Json(std::string(value));
  } else if constexpr (std::is_same_v<T, std::monostate>) {
    return Json();
  } else if constexpr (IsOptional<T>::value) {
    return value ? write(*value) : Json();
  } else if constexpr (IsVariant<T>::value) {
    Json object;
    std::visit(
        [&]<class A>(const A& alternative) {
          if constexpr (!std::is_same_v<A, std::monostate>) {
            object = Json::object();
            addMember(object, "type", std::string(A::name));
            writeMembers(object, alternative);
          }
        },
        value);
    return object;
  } else if constexpr (IsPair<T>::value) {
    Json pair = Json::array();
    pair.push_back(write(value.first));
    pair.push_back(write(value.second));
    return pair;
  } else if constexpr (ObjectMap<T>) {
    Json object = Json::object();
    for (const auto& [key, mapped] : value) {
      if constexpr (Text<typename T::key_type>) {
        addMember(object, key, write(mapped));
      } else {
        addMember(object, std::to_string(key), write(mapped));
      }
    }
    return object;
  } else if constexpr (Container<T>) {
    Json array = Json::array();
    for (const typename T::value_type& element : value) array.push_back(write(element));
    return array;
  } else {
    static_assert(DescribedStruct<T>, "describe the struct's fields with BOOST_DESCRIBE_STRUCT");
    Json object = Json::object();
    writeMembers(object, value);
    return object;
  }
}

/// Like write(), without the fields that have their initial values and are not required.
template <class T>
Json writeCompact(const T& value) {
  if constexpr (HasCodec<T> || !(DescribedStruct<T> || Container<T>) || Text<T> || ObjectMap<T> ||
                AnyJson<T>) {
    return write(value);
  } else if constexpr (Container<T>) {
    Json array = Json::array();
    for (const typename T::value_type& element : value) array.push_back(writeCompact(element));
    return array;
  } else {
    const T initial{};
    Json object = Json::object();
    forEachMember<T>([&](std::string_view name, auto pointer) {
      const auto& field = value.*pointer;
      using Field = std::remove_cvref_t<decltype(field)>;
      bool required = false;
      if constexpr (HasRequired<T>) {
        required = std::find(T::required.begin(), T::required.end(), name) != T::required.end();
      }
      if constexpr (IsOptional<Field>::value && !HasCodec<Field>) {
        if (field) addMember(object, name, writeCompact(*field));
      } else if (required || write(field) != write(initial.*pointer)) {
        addMember(object, name, writeCompact(field));
      }
    });
    if constexpr (requires { value.writeOther(object); }) value.writeOther(object);
    return object;
  }
}

// ---- reading

/// Whether a struct is created from the JSON alone, or only its named fields are replaced.
enum class Mode { make, merge };

template <class T>
void assign(T& target, const JsonValue& json, Mode mode);

template <class T>
T make(const JsonValue& json) {
  if constexpr (HasCodec<T>) {
    return JsonCodec<T>::read(json);
  } else {
    T value{};
    assign(value, json, Mode::make);
    return value;
  }
}

/// `tagged`: a variant's alternative, whose `type` has already been read.
template <DescribedStruct T>
void assignMembers(T& target, const JsonValue& object, Mode mode, bool tagged) {
  static_assert(requiredAreMembers<T>(), "`required` names something that is no field");
  for (const JsonValue& member : object.members()) {
    bool known = tagged && member.key() == "type";
    forEachMember<T>([&](std::string_view name, auto pointer) {
      if (known || name != member.key()) return;
      known = true;
      assign(target.*pointer, member, mode);
    });
    if constexpr (requires { target.takeOther(member); }) known = known || target.takeOther(member);
    if (!known) throwUnknownKey(member, memberNames<T>(), nowCalled<T>(member.key()));
  }
  if constexpr (HasRequired<T>) {
    for (const std::string_view name : T::required) {
      if (mode == Mode::make && object.find(name) == nullptr) throwMissing(object, name, {});
    }
  }
}

/// The present `name` of the alternative that had this name in an older format; empty if there was none.
template <class V>
std::string_view typeNowCalled(const JsonValue& type) {
  std::string_view now;
  forEachAlternative<V>([&]<class A>() {
    if constexpr (requires { A::former_name; })
      if (type.kind() == JsonValue::Kind::string && type.asString() == A::former_name) now = A::name;
  });
  return now;
}

template <class V>
void assignVariant(V& target, const JsonValue& json) {
  std::vector<std::string> names;
  forEachAlternative<V>([&]<class A>() { names.emplace_back(A::name); });
  if constexpr (has_monostate<V>) {
    if (json.isNull()) {
      target = std::monostate();
      return;
    }
  }
  if (json.kind() != JsonValue::Kind::object) {
    throw json.kindError(has_monostate<V> ? "an object with a `type`, or null" : "an object with a `type`");
  }
  const JsonValue* type = json.find("type");
  if (type == nullptr) throwMissing(json, "type", names);
  bool known = false;
  forEachAlternative<V>([&]<class A>() {
    if (known || type->kind() != JsonValue::Kind::string || type->asString() != A::name) return;
    known = true;
    A alternative{};
    assignMembers(alternative, json, Mode::make, true);
    target = std::move(alternative);
  });
  if (!known) throwUnknownName(*type, "type", names, typeNowCalled<V>(*type));
}

template <Map T>
void assignMap(T& target, const JsonValue& json) {
  using Key = typename T::key_type;
  using Mapped = typename T::mapped_type;
  target.clear();
  if constexpr (Text<Key>) {
    for (const JsonValue& member : json.members()) target.emplace(member.key(), make<Mapped>(member));
  } else if constexpr (Integer<Key>) {
    for (const JsonValue& member : json.members()) {
      const std::string& text = member.key();
      Key key{};
      std::from_chars(text.data(), text.data() + text.size(), key);
      // One spelling for each number: "07" would be a second key 7.
      if (std::to_string(key) != text) {
        throwBadKey(json, member,
                    "a whole number from " + std::to_string(std::numeric_limits<Key>::min()) + " to " +
                        std::to_string(std::numeric_limits<Key>::max()));
      }
      target.emplace(key, make<Mapped>(member));
    }
  } else {
    for (const JsonValue& entry : json.elements()) {
      requireCount(entry, 2);
      Key key = make<Key>(entry.elements()[0]);
      if (!target.emplace(std::move(key), make<Mapped>(entry.elements()[1])).second) {
        throwDuplicate(entry.elements()[0]);
      }
    }
  }
}

template <class T>
void assign(T& target, const JsonValue& json, Mode mode) {
  if constexpr (HasCodec<T>) {
    target = JsonCodec<T>::read(json);
  } else if constexpr (std::is_same_v<T, Json>) {
    target = json.plain();
  } else if constexpr (std::is_same_v<T, JsonValue> || std::is_same_v<T, std::optional<JsonValue>>) {
    target = json;
  } else if constexpr (std::is_same_v<T, bool>) {
    target = json.asBool();
  } else if constexpr (std::is_enum_v<T>) {
    static_assert(DescribedEnum<T>, "describe the enumerators with BOOST_DESCRIBE_ENUM");
    bool known = false;
    forEachEnumerator<T>([&](std::string_view name, T value) {
      if (known || json.kind() != JsonValue::Kind::string || json.asString() != jsonName(name)) return;
      known = true;
      target = value;
    });
    if (!known) {
      std::string_view now;
      if constexpr (requires { formerNames(T{}); }) {
        for (const auto& [former, name] : formerNames(T{}))
          if (json.kind() == JsonValue::Kind::string && json.asString() == former) now = name;
      }
      throwUnknownName(json, "name", enumeratorNames<T>(), now);
    }
  } else if constexpr (Integer<T> && std::is_signed_v<T>) {
    target = static_cast<T>(json.asInt64(std::numeric_limits<T>::min(), std::numeric_limits<T>::max()));
  } else if constexpr (Integer<T>) {
    target = static_cast<T>(json.asUint64(std::numeric_limits<T>::max()));
  } else if constexpr (std::is_same_v<T, std::string>) {
    target = json.asString();
  } else if constexpr (std::is_same_v<T, std::monostate>) {
    if (!json.isNull()) throw json.kindError("null");
  } else if constexpr (IsOptional<T>::value) {
    if (json.isNull()) {
      target.reset();
    } else if (target && mode == Mode::merge) {
      assign(*target, json, mode);
    } else {
      target = make<typename T::value_type>(json);
    }
  } else if constexpr (IsVariant<T>::value) {
    assignVariant(target, json);
  } else if constexpr (IsPair<T>::value) {
    requireCount(json, 2);
    target.first = make<typename T::first_type>(json.elements()[0]);
    target.second = make<typename T::second_type>(json.elements()[1]);
  } else if constexpr (IsArray<T>::value) {
    requireCount(json, target.size());
    for (std::size_t i = 0; i < target.size(); ++i)
      target[i] = make<typename T::value_type>(json.elements()[i]);
  } else if constexpr (Map<T>) {
    assignMap(target, json);
  } else if constexpr (Set<T>) {
    target.clear();
    for (const JsonValue& element : json.elements()) {
      if (!target.insert(make<typename T::value_type>(element)).second) throwDuplicate(element);
    }
  } else if constexpr (Container<T>) {
    target.clear();
    for (const JsonValue& element : json.elements()) target.push_back(make<typename T::value_type>(element));
  } else {
    static_assert(DescribedStruct<T>, "describe the struct's fields with BOOST_DESCRIBE_STRUCT");
    assignMembers(target, json, mode, false);
  }
}

// ---- schema

/// Names of the definitions of one schema, each taken once. A type is known by the address of its type_mark.
class SchemaNames {
 public:
  std::optional<std::string> find(const void* type) const;
  /// A name for the type: `wanted` made fit for a reference, or a number when it is empty.
  std::string add(const void* type, std::string_view wanted);

 private:
  std::vector<std::pair<const void*, std::string>> names_;
};

template <class T, bool tagged>
inline constexpr char type_mark = 0;

class SchemaBuilder {
 public:
  /// `title` names the outermost struct when it has no name of its own.
  explicit SchemaBuilder(std::string title) : title_(std::move(title)) {}

  template <class T>
  Json schema() {
    if constexpr (HasCodec<T> && requires(SchemaBuilder & builder) { JsonCodec<T>::schema(builder); }) {
      return JsonCodec<T>::schema(*this);
    } else if constexpr (HasCodec<T>) {
      return JsonCodec<T>::schema();
    } else if constexpr (AnyJson<T>) {
      return Json::object();
    } else if constexpr (std::is_same_v<T, bool>) {
      return typeSchema("boolean");
    } else if constexpr (std::is_enum_v<T>) {
      return namesSchema(enumeratorNames<T>());
    } else if constexpr (Integer<T>) {
      return integerSchema(std::numeric_limits<T>::min(), std::numeric_limits<T>::max());
    } else if constexpr (Text<T>) {
      return typeSchema("string");
    } else if constexpr (std::is_same_v<T, std::monostate>) {
      return typeSchema("null");
    } else if constexpr (IsOptional<T>::value) {
      return nullable(schema<typename T::value_type>());
    } else if constexpr (IsVariant<T>::value) {
      Json either = Json::array();
      if constexpr (has_monostate<T>) either.push_back(typeSchema("null"));
      forEachAlternative<T>([&]<class A>() { either.push_back(define<A, true>()); });
      Json one_of = Json::object();
      addMember(one_of, "oneOf", std::move(either));
      return one_of;
    } else if constexpr (IsPair<T>::value) {
      return pairSchema<typename T::first_type, typename T::second_type>();
    } else if constexpr (ObjectMap<T>) {
      return mapSchema(schema<typename T::mapped_type>(), Integer<typename T::key_type>);
    } else if constexpr (Map<T>) {
      return arraySchema(pairSchema<typename T::key_type, typename T::mapped_type>());
    } else if constexpr (Container<T>) {
      Json array = arraySchema(schema<typename T::value_type>());
      if constexpr (Set<T>) addMember(array, "uniqueItems", true);
      if constexpr (IsArray<T>::value) {
        addMember(array, "minItems", std::tuple_size_v<T>);
        addMember(array, "maxItems", std::tuple_size_v<T>);
      }
      return array;
    } else {
      return define<T, false>();
    }
  }

  Json takeDefinitions() { return std::move(definitions_); }

 private:
  template <class A, class B>
  Json pairSchema() {
    std::vector<Json> items;
    items.push_back(schema<A>());
    items.push_back(schema<B>());
    return tupleSchema(std::move(items));
  }

  /// A reference to the struct's definition, which is created on the first call. `tagged`: as a variant's
  /// alternative.
  template <DescribedStruct T, bool tagged>
  Json define() {
    static_assert(requiredAreMembers<T>(), "`required` names something that is no field");
    const void* mark = &type_mark<T, tagged>;
    if (const std::optional<std::string> known = names_.find(mark)) return reference(*known);
    const std::string name = names_.add(mark, wantedName<T, tagged>());
    addMember(definitions_, name, Json());  // keeps its place before the definitions it refers to

    Json properties = Json::object();
    Json required = Json::array();
    if constexpr (tagged) {
      Json type = Json::object();
      addMember(type, "const", std::string(T::name));
      addMember(properties, "type", std::move(type));
      required.push_back("type");
    }
    forEachMember<T>([&](std::string_view field, auto pointer) {
      using Field = std::remove_cvref_t<decltype(std::declval<T>().*pointer)>;
      Json property = schema<Field>();
      if constexpr (requires { T::describeField(field); }) {
        const std::string_view description = T::describeField(field);
        if (!description.empty()) addMember(property, "description", std::string(description));
      }
      addMember(properties, field, std::move(property));
    });
    if constexpr (HasRequired<T>) {
      for (const std::string_view field : T::required) required.push_back(std::string(field));
    }

    Json definition = typeSchema("object");
    addMember(definition, "properties", std::move(properties));
    if (!required.empty()) addMember(definition, "required", std::move(required));
    if constexpr (requires { typename T::Other; }) {
      addMember(definition, "additionalProperties", schema<typename T::Other>());
    } else {
      addMember(definition, "additionalProperties", false);
    }
    definitions_[name] = std::move(definition);
    return reference(name);
  }

  template <class T, bool tagged>
  std::string wantedName() {
    const std::string title = std::exchange(title_, "");
    if constexpr (requires { T::schema_name; }) return std::string(T::schema_name);
    if constexpr (tagged) return std::string(T::name);
    return title;
  }

  std::string title_;
  SchemaNames names_;
  Json definitions_ = Json::object();
};

}  // namespace json_detail

template <class T>
Json toJson(const T& value) {
  return json_detail::write(value);
}

/// The same without the fields of structs that have their initial values and are not required.
template <class T>
Json toCompactJson(const T& value) {
  return json_detail::writeCompact(value);
}

/// The value that `json` describes; fields that it does not name keep their initial values. Throws InputError
/// for an unknown or missing key, a value of the wrong kind or out of range, an unknown name, an element
/// twice in a set.
template <class T>
T read(const JsonValue& json) {
  return json_detail::make<T>(json);
}

/// Replaces the fields of `target` that `json` names, and of structs inside it, and leaves the others
/// unchanged. Nothing is required, except of elements of containers and of variants, which are created anew.
/// Throws InputError like read(); some fields of `target` may already have been replaced.
template <class T>
void readInto(T& target, const JsonValue& json) {
  json_detail::assign(target, json, json_detail::Mode::merge);
}

/// The JSON Schema (draft 2020-12) of what read<T>() accepts. Structs are in "$defs" under their schema_name;
/// a struct without one takes `title` (if it is T), its `name` (in a variant) or a number.
template <class T>
Json schemaOf(std::string title) {
  json_detail::SchemaBuilder builder(title);
  const Json root = builder.template schema<T>();
  return json_detail::documentSchema(std::move(title), root, builder.takeDefinitions());
}

}  // namespace zablab
