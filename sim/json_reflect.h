// JSON, and JSON Schema, of any type whose fields protocol/reflect.h can list:
//
//   bool, integers, strings      themselves
//   enum                         its enumerator's name
//   optional                     absent as an empty field of a struct; null where a value is required
//   vector, set, array, pair     array
//   map, by strings or integers  object; an integer key is written as text
//   any other map                array of [key, value]
//   variant                      null for monostate, otherwise {"type": T::name, ...fields of T}
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
//   Other          the type of members that are not fields: takeOther takes one, or returns false; writeOther
//                  adds it to the object again
#pragma once

#include <algorithm>
#include <array>
#include <concepts>
#include <limits>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "protocol/reflect.h"
#include "sim/json_type.h"

namespace zablab {

/// Specialise for a type that defines its own JSON; it is then a leaf everywhere. Must be visible wherever
/// the type is written or read.
///
///     static Json write(const T&);
///     static T read(const JsonValue&);   // throws value.error(...)
///     static Json schema();        // or schema(json_detail::SchemaBuilder&), where it refers to other types
///     using Fields = ...;                // may: a described struct with the fields that its objects have
///     static void checkPattern(const JsonValue&);  // may: whether its JSON can match; may throw
template <class T>
struct JsonCodec;

namespace json_detail {

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
concept Integer = std::is_integral_v<T> && !std::is_same_v<T, bool>;
template <class T>
concept Map = Container<T> && requires {
  typename T::mapped_type;
};
template <class T>
concept Set = Container<T> && !Map<T> && requires {
  typename T::key_type;
};

constexpr std::string_view jsonName(std::string_view cpp_name) {
  if (cpp_name.size() > 1 && cpp_name.ends_with('_')) cpp_name.remove_suffix(1);
  return cpp_name;
}

template <class T>
const auto& typeObject();
template <class T>
const Type& typeOf() {
  return typeObject<T>();
}
template <class T>
const StructType& structTypeOf();
/// For a variant.
template <class V>
const VariantType& variantTypeOf() {
  return typeObject<V>();
}

// ---- enumerations

template <DescribedEnum E>
inline constexpr std::array json_enumerators = [] {
  using Number = std::make_signed_t<std::underlying_type_t<E>>;
  std::array<EnumType::Enumerator, enumerators_of<E>.size()> list{};
  for (std::size_t i = 0; i < list.size(); ++i)
    list[i] = {jsonName(enumerators_of<E>[i].first), static_cast<Number>(enumerators_of<E>[i].second)};
  return list;
}();

template <DescribedEnum E>
inline constexpr std::array<Renamed, 0> former_enumerators{};
template <DescribedEnum E>
requires requires { formerNames(E{}); }
inline constexpr auto former_enumerators<E> = formerNames(E{});

// ---- values of other values

template <class T>
class OptionalOf final : public OptionalType {
 public:
  using Value = typename T::value_type;
  constexpr OptionalOf() : OptionalType(&typeOf<Value>, std::is_same_v<Value, JsonValue>) {}
  const void* get(const void* optional) const override {
    const T& at = *static_cast<const T*>(optional);
    return at ? &*at : nullptr;
  }

 protected:
  void* emplace(void* optional) const override { return &static_cast<T*>(optional)->emplace(); }
  void reset(void* optional) const override { static_cast<T*>(optional)->reset(); }
};

template <class T>
class PairOf final : public PairType {
 public:
  constexpr PairOf() : PairType(&typeOf<typename T::first_type>, &typeOf<typename T::second_type>) {}

 protected:
  void parts(const void* pair, VisitPair visit) const override {
    const T& at = *static_cast<const T*>(pair);
    visit(&at.first, &at.second);
  }
  void fill(void* pair, Fill first, Fill second) const override {
    T made{};
    first(&made.first);
    second(&made.second);
    *static_cast<T*>(pair) = std::move(made);
  }
};

template <class T>
constexpr std::size_t countOf() {
  if constexpr (IsArray<T>::value) return std::tuple_size_v<T>;
  return 0;
}

template <class T>
class ListOf final : public ListType {
 public:
  using Element = typename T::value_type;
  constexpr ListOf() : ListType(&typeOf<Element>, Set<T>, countOf<T>()) {}

 protected:
  void each(const void* list, Visit visit) const override {
    for (const Element& element : *static_cast<const T*>(list)) visit(&element);
  }
  void clear([[maybe_unused]] void* list) const override {
    if constexpr (!IsArray<T>::value) static_cast<T*>(list)->clear();
  }
  bool add(void* list, [[maybe_unused]] std::size_t at, Fill fill) const override {
    Element made{};
    fill(&made);
    T& to = *static_cast<T*>(list);
    if constexpr (IsArray<T>::value) {
      to[at] = std::move(made);
    } else if constexpr (Set<T>) {
      return to.insert(std::move(made)).second;
    } else {
      to.push_back(std::move(made));
    }
    return true;
  }
};

template <class T>
class MapOf final : public MapType {
 public:
  using Key = typename T::key_type;
  using Mapped = typename T::mapped_type;
  constexpr MapOf()
      : MapType(&typeOf<Key>, &typeOf<Mapped>,
                std::is_same_v<Key, std::string> ? Keys::text
                : Integer<Key>                   ? Keys::integer
                                                 : Keys::other) {}

  std::size_t size(const void* map) const override { return static_cast<const T*>(map)->size(); }
  void forEachChange(const void* before, const void* now, VisitChange visit) const override {
    const T& old_map = *static_cast<const T*>(before);
    const T& new_map = *static_cast<const T*>(now);
    for (const auto& [key, mapped] : new_map) {
      const auto old = old_map.find(key);
      if constexpr (std::equality_comparable<Mapped>) {
        if (old != old_map.end() && old->second == mapped) continue;
      }
      visit(&key, old == old_map.end() ? nullptr : &old->second, &mapped);
    }
    for (const auto& [key, mapped] : old_map) {
      if (!new_map.contains(key)) visit(&key, &mapped, nullptr);
    }
  }

 protected:
  void each(const void* map, VisitPair visit) const override {
    for (const auto& [key, mapped] : *static_cast<const T*>(map)) visit(&key, &mapped);
  }
  void clear(void* map) const override { static_cast<T*>(map)->clear(); }
  bool add(void* map, Fill key, Fill mapped) const override {
    Key made_key{};
    key(&made_key);
    Mapped made{};
    mapped(&made);
    return static_cast<T*>(map)->emplace(std::move(made_key), std::move(made)).second;
  }
};

// ---- structs

/// Calls `visit(json_name, pointer)` for every field, those of bases first.
template <DescribedStruct T, class Visitor>
constexpr void forEachMember(Visitor&& visit) {
  [&]<class... M>(boost::mp11::mp_list<M...>) { (visit(jsonName(M::name), M::pointer), ...); }(FieldsOf<T>{});
}

template <class T, class Member>
using FieldOf = std::remove_cvref_t<decltype(std::declval<T&>().*Member::pointer)>;

template <DescribedStruct T>
inline constexpr auto members_of = []<class... M>(boost::mp11::mp_list<M...>) {
  return std::array<StructType::Member, sizeof...(M)>{
      StructType::Member{jsonName(M::name), &typeOf<FieldOf<T, M>>}...};
}(FieldsOf<T>{});

template <class T>
inline constexpr std::array<std::string_view, 0> required_of{};
template <class T>
requires requires { T::required.size(); }
inline constexpr auto required_of<T> = [] {
  std::array<std::string_view, T::required.size()> names{};
  std::copy(T::required.begin(), T::required.end(), names.begin());
  return names;
}();

template <DescribedStruct T>
constexpr bool hasMember(std::string_view name) {
  return std::any_of(members_of<T>.begin(), members_of<T>.end(),
                     [&](const auto& member) { return member.name == name; });
}
template <DescribedStruct T>
constexpr bool requiredAreMembers() {
  return std::all_of(required_of<T>.begin(), required_of<T>.end(),
                     [](std::string_view name) { return hasMember<T>(name); });
}

template <class T, class... M>
void* fieldOf([[maybe_unused]] T& object, [[maybe_unused]] std::size_t at, boost::mp11::mp_list<M...>) {
  void* found = nullptr;
  [[maybe_unused]] std::size_t i = 0;
  ((i++ == at ? void(found = &(object.*M::pointer)) : void()), ...);
  return found;
}

template <class T, class... M>
constexpr bool areComparable(boost::mp11::mp_list<M...>) {
  return sizeof...(M) > 0 && std::equality_comparable<T> &&
         (std::equality_comparable<std::remove_cvref_t<decltype(std::declval<T&>().*M::pointer)>> && ...);
}
template <class T, class... M>
bool sameField(const T& one, const T& other, std::size_t at, boost::mp11::mp_list<M...>) {
  bool same = true;
  std::size_t i = 0;
  ((i++ == at ? void(same = one.*M::pointer == other.*M::pointer) : void()), ...);
  return same;
}

template <DescribedStruct T>
constexpr StructType::About aboutOf() {
  static_assert(requiredAreMembers<T>(), "`required` names something that is no field");
  StructType::About about{members_of<T>, required_of<T>, {}, {}, {}, {}};
  if constexpr (requires { T::former.size(); }) about.former = T::former;
  if constexpr (requires { T::schema_name; }) about.schema_name = T::schema_name;
  if constexpr (requires {
                  { T::name } -> std::convertible_to<std::string_view>;
                }) {
    if constexpr (!std::is_member_pointer_v<decltype(&T::name)>) about.name = T::name;
  }
  if constexpr (requires { T::former_name; }) about.former_name = T::former_name;
  about.field = [](void* object, std::size_t at) {
    return fieldOf(*static_cast<T*>(object), at, FieldsOf<T>{});
  };
  // What has a name of its own is in files or in a variant, and is compared as a whole.
  if constexpr (
      !requires { T::schema_name; } && !requires { T::name; } && areComparable<T>(FieldsOf<T>{}))
    about.same = [](const void* one, const void* other, std::size_t at) {
      return sameField(*static_cast<const T*>(one), *static_cast<const T*>(other), at, FieldsOf<T>{});
    };
  about.with_initial = [](Visit visit) {
    const T initial{};
    visit(&initial);
  };
  if constexpr (requires(std::string_view name) { T::describeField(name); })
    about.describe = [](std::string_view name) -> std::string_view { return T::describeField(name); };
  if constexpr (requires { typename T::Other; }) {
    about.other = &typeOf<typename T::Other>;
    about.take_other = [](void* object, const JsonValue& member) {
      return static_cast<T*>(object)->takeOther(member);
    };
    about.write_other = [](const void* object, Json& json) {
      static_cast<const T*>(object)->writeOther(json);
    };
  }
  return about;
}

template <class T>
const StructType& structTypeOf() {
  static constexpr StructType type(aboutOf<T>());
  return type;
}

// ---- variants

template <class A>
constexpr VariantType::Alternative alternativeOf() {
  if constexpr (std::is_same_v<A, monostate>) {
    return {nullptr};
  } else {
    static_assert(DescribedStruct<A> && !HasCodec<A>, "a variant's alternatives must be described structs");
    static_assert(!hasMember<A>("type"), "`type` is taken by the alternative's name");
    return {&structTypeOf<A>};
  }
}
template <class V>
inline constexpr std::array<VariantType::Alternative, 0> alternatives_of{};
template <class... A>
inline constexpr std::array alternatives_of<variant<A...>>{alternativeOf<A>()...};

template <class V>
class VariantOf final : public VariantType {
 public:
  constexpr VariantOf()
      : VariantType(
            alternatives_of<V>,
            boost::mp11::mp_contains<boost::mp11::mp_rename<V, boost::mp11::mp_list>, monostate>::value) {}
  void* emplace(void* variant, std::size_t at) const override {
    return emplaced(*static_cast<V*>(variant), at, std::make_index_sequence<variant_size_v<V>>{});
  }

 protected:
  std::pair<std::size_t, const void*> get(const void* variant) const override {
    const V& value = *static_cast<const V*>(variant);
    return {value.index(), held(value, std::make_index_sequence<variant_size_v<V>>{})};
  }

 private:
  template <std::size_t... I>
  static void* emplaced(V& value, std::size_t at, std::index_sequence<I...>) {
    void* made = nullptr;
    ((at == I ? void(made = &value.template emplace<I>()) : void()), ...);
    return made;
  }
  template <std::size_t... I>
  static const void* held(const V& value, std::index_sequence<I...>) {
    const void* at = nullptr;
    ((value.index() == I ? void(at = get_if<I>(&value)) : void()), ...);
    return at;
  }
};

/// Calls `visit.template operator()<T>()` for every alternative of the variant V except monostate.
template <class V, class Visitor>
void forEachAlternative(Visitor&& visit) {
  using Alternatives =
      boost::mp11::mp_transform<std::type_identity, boost::mp11::mp_rename<V, boost::mp11::mp_list>>;
  boost::mp11::mp_for_each<Alternatives>([&](auto identity) {
    using T = typename decltype(identity)::type;
    if constexpr (!std::is_same_v<T, monostate>) visit.template operator()<T>();
  });
}

// ---- codecs

template <class T>
constexpr auto codecFields() -> const StructType& (*)() {
  if constexpr (requires { typename JsonCodec<T>::Fields; }) {
    return &structTypeOf<typename JsonCodec<T>::Fields>;
  } else if constexpr (DescribedStruct<T>) {
    return &structTypeOf<T>;
  } else {
    return nullptr;
  }
}

template <class T>
class CodecOf final : public CodecType {
 public:
  constexpr CodecOf() : CodecType(codecFields<T>()) {}
  Json write(const void* value) const override { return JsonCodec<T>::write(*static_cast<const T*>(value)); }
  void assign(void* target, const JsonValue& json, Mode) const override {
    *static_cast<T*>(target) = JsonCodec<T>::read(json);
  }
  void checkShape(const JsonValue& pattern) const override {
    if constexpr (requires { JsonCodec<T>::checkPattern(pattern); }) {
      JsonCodec<T>::checkPattern(pattern);
    } else {
      CodecType::checkShape(pattern);
    }
  }
  Json schema([[maybe_unused]] SchemaBuilder& builder) const override {
    if constexpr (requires { JsonCodec<T>::schema(builder); }) return JsonCodec<T>::schema(builder);
    if constexpr (requires { JsonCodec<T>::schema(); }) return JsonCodec<T>::schema();
    return Json::object();
  }

 protected:
  Json again(const JsonValue& json) const override { return JsonCodec<T>::write(JsonCodec<T>::read(json)); }
};

// ---- all

template <class T>
const auto& typeObject() {
  if constexpr (HasCodec<T>) {
    static constexpr CodecOf<T> type;
    return type;
  } else if constexpr (std::is_same_v<T, Json> || std::is_same_v<T, JsonValue>) {
    static constexpr AnyType type(std::is_same_v<T, JsonValue>);
    return type;
  } else if constexpr (std::is_same_v<T, bool>) {
    static constexpr BoolType type;
    return type;
  } else if constexpr (std::is_enum_v<T>) {
    static_assert(DescribedEnum<T>, "describe the enumerators with BOOST_DESCRIBE_ENUM");
    static constexpr EnumType type(sizeof(T), json_enumerators<T>, former_enumerators<T>);
    return type;
  } else if constexpr (Integer<T>) {
    static constexpr IntegerType type(sizeof(T), std::numeric_limits<T>::min(),
                                      std::numeric_limits<T>::max());
    return type;
  } else if constexpr (std::is_same_v<T, std::string>) {
    static constexpr TextType type;
    return type;
  } else if constexpr (std::is_same_v<T, monostate>) {
    static constexpr EmptyType type;
    return type;
  } else if constexpr (IsOptional<T>::value) {
    static constexpr OptionalOf<T> type;
    return type;
  } else if constexpr (IsVariant<T>::value) {
    static constexpr VariantOf<T> type;
    return type;
  } else if constexpr (IsPair<T>::value) {
    static constexpr PairOf<T> type;
    return type;
  } else if constexpr (Map<T>) {
    static constexpr MapOf<T> type;
    return type;
  } else if constexpr (Container<T>) {
    static constexpr ListOf<T> type;
    return type;
  } else {
    static_assert(DescribedStruct<T>, "describe the struct's fields with BOOST_DESCRIBE_STRUCT");
    return structTypeOf<T>();
  }
}

template <class T>
Json SchemaBuilder::schema() {
  return typeOf<T>().schema(*this);
}

}  // namespace json_detail

template <class T>
Json toJson(const T& value) {
  return json_detail::typeOf<T>().write(&value);
}

/// The same without the fields of structs that have their initial values and are not required.
template <class T>
Json toCompactJson(const T& value) {
  return json_detail::typeOf<T>().writeCompact(&value);
}

/// The value that `json` describes; fields that it does not name keep their initial values. Throws InputError
/// for an unknown or missing key, a value of the wrong kind or out of range, an unknown name, an element
/// twice in a set.
template <class T>
T read(const JsonValue& json) {
  T value{};
  json_detail::typeOf<T>().assign(&value, json, json_detail::Mode::make);
  return value;
}

/// Replaces the fields of `target` that `json` names, and of structs inside it, and leaves the others
/// unchanged. Nothing is required, except of elements of containers and of variants, which are created anew.
/// Throws InputError like read(); some fields of `target` may already have been replaced.
template <class T>
void readInto(T& target, const JsonValue& json) {
  json_detail::typeOf<T>().assign(&target, json, json_detail::Mode::merge);
}

/// The JSON Schema (draft 2020-12) of what read<T>() accepts. Structs are in "$defs" under their schema_name;
/// a struct without one takes `title` (if it is T), its `name` (in a variant) or a number.
template <class T>
Json schemaOf(std::string title) {
  json_detail::SchemaBuilder builder(title);
  const Json root = builder.template schema<T>();
  return json_detail::documentSchema(std::move(title), root, builder.definitions());
}

}  // namespace zablab
