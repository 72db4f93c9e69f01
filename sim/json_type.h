// What C++ types are in JSON, as constant objects: one for each type, made by sim/json_reflect.h from the one
// list of fields. Whatever reads, writes or describes JSON, or checks a pattern, works on these objects: it
// is compiled once, not once for each type.
#pragma once

#include <cstddef>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "protocol/reflect.h"
#include "protocol/vocabulary.h"
#include "sim/json.h"

namespace zablab::json_detail {

/// A function, by reference: it has to outlive the call that it is an argument of.
template <class... Arguments>
class FunctionRef {
 public:
  template <class Function>
  requires(!std::is_same_v<std::remove_cvref_t<Function>, FunctionRef>) FunctionRef(const Function& function)
      : function_(&function), call_([](const void* called, Arguments... arguments) {
          (*static_cast<const Function*>(called))(arguments...);
        }) {}
  void operator()(Arguments... arguments) const { call_(function_, arguments...); }

 private:
  const void* function_;
  void (*call_)(const void*, Arguments...);
};
using Visit = FunctionRef<const void*>;
using VisitPair = FunctionRef<const void*, const void*>;
using VisitChange = FunctionRef<const void*, const void*, const void*>;
using Fill = FunctionRef<void*>;

/// Whether a struct is created from the JSON alone, or only its named fields are replaced.
enum class Mode { make, merge };

class MapType;
class OptionalType;
class SchemaBuilder;
class StructType;

/// Values are passed by address; each has the type that the object describes.
class Type {
 public:
  constexpr Type() = default;
  Type(const Type&) = delete;

  virtual Json write(const void* value) const = 0;
  /// Like write(), without the fields of structs that have their initial values and are not required.
  virtual Json writeCompact(const void* value) const { return write(value); }
  /// `target` is a new value unless `mode` is merge. Throws InputError.
  virtual void assign(void* target, const JsonValue& json, Mode mode) const = 0;
  virtual Json schema(SchemaBuilder& builder) const = 0;
  /// Checks that a value of this type can have what the pattern asks for. Throws InputError. Called for a
  /// pattern that is not null.
  virtual void checkShape(const JsonValue& pattern) const = 0;

  /// This type, if it is an optional: a field without a value is omitted.
  virtual const OptionalType* asOptional() const { return nullptr; }
  virtual const MapType* asMap() const { return nullptr; }
  /// This type, if it is a struct whose object has its fields and nothing else.
  virtual const StructType* asStruct() const { return nullptr; }

 protected:
  ~Type() = default;
};
/// A function, so that a type may contain itself.
using TypeOf = const Type& (*)();

void checkShape(const Type& type, const JsonValue& pattern);  ///< null: a field that must be absent

class BoolType final : public Type {
 public:
  Json write(const void* value) const override;
  void assign(void* target, const JsonValue& json, Mode mode) const override;
  Json schema(SchemaBuilder& builder) const override;
  void checkShape(const JsonValue& pattern) const override;
};

class IntegerType final : public Type {
 public:
  constexpr IntegerType(std::size_t bytes, std::int64_t min, std::uint64_t max)
      : bytes_(bytes), min_(min), max_(max) {}
  Json write(const void* value) const override;
  void assign(void* target, const JsonValue& json, Mode mode) const override;
  Json schema(SchemaBuilder& builder) const override;
  void checkShape(const JsonValue& pattern) const override;

  /// As keys of objects.
  std::string text(const void* value) const;
  /// False if the text is not the one spelling of a number of this type.
  bool assignText(void* target, const std::string& text) const;
  std::string range() const;

  /// Whether it is the id of no server (`no_server`), which JSON has as null.
  bool isNobody(const void* value) const;
  void assignNobody(void* target) const;

 private:
  std::size_t bytes_;
  std::int64_t min_;  ///< below 0: signed
  std::uint64_t max_;
};

class EnumType final : public Type {
 public:
  struct Enumerator {
    std::string_view name;  ///< in JSON
    std::int64_t value;
  };
  constexpr EnumType(std::size_t bytes, std::span<const Enumerator> enumerators,
                     std::span<const Renamed> former)
      : bytes_(bytes), enumerators_(enumerators), former_(former) {}
  Json write(const void* value) const override;
  void assign(void* target, const JsonValue& json, Mode mode) const override;
  Json schema(SchemaBuilder& builder) const override;
  void checkShape(const JsonValue& pattern) const override;

 private:
  std::vector<std::string> names() const;

  std::size_t bytes_;
  std::span<const Enumerator> enumerators_;
  std::span<const Renamed> former_;
};

class TextType final : public Type {
 public:
  Json write(const void* value) const override;
  void assign(void* target, const JsonValue& json, Mode mode) const override;
  Json schema(SchemaBuilder& builder) const override;
  void checkShape(const JsonValue& pattern) const override;
};

/// monostate.
class EmptyType final : public Type {
 public:
  Json write(const void* value) const override;
  void assign(void* target, const JsonValue& json, Mode mode) const override;
  Json schema(SchemaBuilder& builder) const override;
  void checkShape(const JsonValue& pattern) const override;
};

/// Json or, with places, JsonValue.
class AnyType final : public Type {
 public:
  constexpr explicit AnyType(bool places) : places_(places) {}
  Json write(const void* value) const override;
  void assign(void* target, const JsonValue& json, Mode mode) const override;
  Json schema(SchemaBuilder& builder) const override;
  void checkShape(const JsonValue&) const override {}

 private:
  bool places_;
};

class OptionalType : public Type {
 public:
  /// `keeps_null`: null is a value, not the absence of one.
  constexpr OptionalType(TypeOf held, bool keeps_null) : inner_(held), keeps_null_(keeps_null) {}
  Json write(const void* value) const override;
  void assign(void* target, const JsonValue& json, Mode mode) const override;
  Json schema(SchemaBuilder& builder) const override;
  void checkShape(const JsonValue& pattern) const override;
  const OptionalType* asOptional() const override { return this; }

  const Type& inner() const { return inner_(); }
  virtual const void* get(const void* optional) const = 0;  ///< null if it has no value

 protected:
  virtual void* emplace(void* optional) const = 0;
  virtual void reset(void* optional) const = 0;
  ~OptionalType() = default;

 private:
  TypeOf inner_;
  bool keeps_null_;
};

class PairType : public Type {
 public:
  constexpr PairType(TypeOf first, TypeOf second) : first_(first), second_(second) {}
  Json write(const void* value) const override;
  void assign(void* target, const JsonValue& json, Mode mode) const override;
  Json schema(SchemaBuilder& builder) const override;
  void checkShape(const JsonValue& pattern) const override;

 protected:
  virtual void parts(const void* pair, VisitPair visit) const = 0;
  virtual void fill(void* pair, Fill first, Fill second) const = 0;
  ~PairType() = default;

 private:
  TypeOf first_;
  TypeOf second_;
};

/// A list, a set or an array.
class ListType : public Type {
 public:
  /// `count`: of an array's elements; 0 for anything else.
  constexpr ListType(TypeOf element, bool unique, std::size_t count)
      : element_(element), unique_(unique), count_(count) {}
  Json write(const void* value) const override;
  Json writeCompact(const void* value) const override;
  void assign(void* target, const JsonValue& json, Mode mode) const override;
  Json schema(SchemaBuilder& builder) const override;
  void checkShape(const JsonValue& pattern) const override;

 protected:
  virtual void each(const void* list, Visit visit) const = 0;
  virtual void clear(void* list) const = 0;
  /// Fills a new element and adds it, to an array at `at`; false if a set has it.
  virtual bool add(void* list, std::size_t at, Fill fill) const = 0;
  ~ListType() = default;

 private:
  TypeOf element_;
  bool unique_;
  std::size_t count_;
};

class MapType : public Type {
 public:
  enum class Keys : std::uint8_t { text, integer, other };
  constexpr MapType(TypeOf key, TypeOf mapped, Keys keys) : key_(key), mapped_(mapped), keys_(keys) {}
  Json write(const void* value) const override;
  void assign(void* target, const JsonValue& json, Mode mode) const override;
  Json schema(SchemaBuilder& builder) const override;
  void checkShape(const JsonValue& pattern) const override;
  const MapType* asMap() const override { return this; }

  /// Whether it is written as an object.
  bool isObject() const { return keys_ != Keys::other; }
  const Type& mappedType() const { return mapped_(); }
  /// The key of an entry, if it is written as an object.
  std::string keyText(const void* key) const;
  virtual std::size_t size(const void* map) const = 0;
  /// Calls `visit(key, before, now)` for each entry that differs; null: it was not there, or no longer is.
  virtual void forEachChange(const void* before, const void* now, VisitChange visit) const = 0;

 protected:
  virtual void each(const void* map, VisitPair visit) const = 0;
  virtual void clear(void* map) const = 0;
  /// False if the map has the key.
  virtual bool add(void* map, Fill key, Fill mapped) const = 0;
  ~MapType() = default;

 private:
  const IntegerType& integer() const { return static_cast<const IntegerType&>(key_()); }

  TypeOf key_;
  TypeOf mapped_;
  Keys keys_;
};

class StructType final : public Type {
 public:
  struct Member {
    std::string_view name;
    TypeOf type;
  };
  struct About {
    std::span<const Member> members;
    std::span<const std::string_view> required;
    std::span<const Renamed> former;
    std::string_view schema_name;  ///< in "$defs"
    std::string_view name;         ///< of a variant's alternative: its `type`
    std::string_view former_name;

    void* (*field)(void* object, std::size_t at) = nullptr;
    /// Whether both have the same value in the field at this place; null: they cannot be compared.
    bool (*same)(const void* one, const void* other, std::size_t at) = nullptr;
    void (*with_initial)(Visit visit) = nullptr;  ///< calls it with a struct as it is at first

    // What a struct may define (sim/json_reflect.h); null if it does not.
    std::string_view (*describe)(std::string_view name) = nullptr;
    TypeOf other = nullptr;
    bool (*take_other)(void* object, const JsonValue& member) = nullptr;
    void (*write_other)(const void* object, Json& json) = nullptr;
  };
  constexpr explicit StructType(const About& described) : about(described) {}
  Json write(const void* value) const override;
  Json writeCompact(const void* value) const override;
  void assign(void* target, const JsonValue& json, Mode mode) const override;
  Json schema(SchemaBuilder& builder) const override;
  void checkShape(const JsonValue& pattern) const override { checkFields(pattern, false); }
  const StructType* asStruct() const override { return about.write_other == nullptr ? this : nullptr; }

  void writeMembers(Json& object, const void* value) const;
  /// `tagged`: a variant's alternative, whose `type` has already been read.
  void assignMembers(void* target, const JsonValue& object, Mode mode, bool tagged) const;
  std::vector<std::string> names() const;
  /// By its name; null if there is none.
  const Member* find(std::string_view name) const;
  /// The present name of the field that had this name in an older format; empty if there was none.
  std::string_view nowCalled(std::string_view key) const;
  bool isRequired(std::string_view name) const;
  /// Whether `member` names a field; if so, its value is checked.
  bool checkField(const JsonValue& member) const;
  void checkFields(const JsonValue& pattern, bool tagged) const;
  /// Whether the field is the id of a server, and of none at first: it may then be null where it is read.
  bool mayBeNobody(std::size_t at) const;

  /// The field at this place of `about.members`.
  void* field(void* object, std::size_t at) const { return about.field(object, at); }
  const void* field(const void* object, std::size_t at) const {
    return about.field(const_cast<void*>(object), at);
  }

  const About about;
};

class VariantType : public Type {
 public:
  struct Alternative {
    const StructType& (*type)();  ///< null for monostate
  };
  constexpr VariantType(std::span<const Alternative> alternatives, bool has_empty)
      : alternatives_(alternatives), has_empty_(has_empty) {}
  Json write(const void* value) const override;
  void assign(void* target, const JsonValue& json, Mode mode) const override;
  Json schema(SchemaBuilder& builder) const override;
  /// A pattern without `type` may be about any of the alternatives.
  void checkShape(const JsonValue& pattern) const override;

  std::vector<std::string> names() const;
  /// Calls `visit(alternative, its place)` for each except monostate.
  template <class Visitor>
  void forEach(const Visitor& visit) const {
    for (std::size_t i = 0; i < alternatives_.size(); ++i) {
      if (alternatives_[i].type != nullptr) visit(alternatives_[i].type(), i);
    }
  }
  /// Null if there is none of this name.
  const StructType* find(std::string_view name) const;
  /// The present `name` of the alternative that had this name in an older format; empty if there was none.
  std::string_view nowCalled(const JsonValue& type) const;
  /// The alternative that the variant has, and its value; null for monostate.
  std::pair<const StructType*, const void*> holds(const void* variant) const;
  virtual void* emplace(void* variant, std::size_t at) const = 0;

 protected:
  virtual std::pair<std::size_t, const void*> get(const void* variant) const = 0;
  ~VariantType() = default;

 private:
  std::span<const Alternative> alternatives_;
  bool has_empty_;
};

/// A type with a JsonCodec.
class CodecType : public Type {
 public:
  /// `fields`: of its objects, for patterns; null if it has none.
  constexpr explicit CodecType(const StructType& (*fields)()) : fields_(fields) {}
  void checkShape(const JsonValue& pattern) const override;

 protected:
  /// Reads the value and writes it again.
  virtual Json again(const JsonValue& json) const = 0;
  ~CodecType() = default;

 private:
  const StructType& (*fields_)();
};

// ---- schema

class SchemaBuilder {
 public:
  /// `title` names the outermost struct when it has no name of its own.
  explicit SchemaBuilder(std::string title) : title_(std::move(title)) {}

  template <class T>
  Json schema();  // sim/json_reflect.h

  /// A reference to the struct's definition, which is created on the first call. `tagged`: as a variant's
  /// alternative.
  Json define(const StructType& type, bool tagged);
  const Json& definitions() const { return definitions_; }

 private:
  std::string addName(const StructType& type, bool tagged, std::string_view wanted);

  struct Name {
    const StructType* type;
    bool tagged;
    std::string name;
  };
  std::string title_;
  std::vector<Name> names_;
  Json definitions_ = Json::object();
};

// ---- helpers

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
void requireCount(const JsonValue& array, std::size_t count);

Json typeSchema(std::string_view type);
Json arraySchema(Json items);
Json tupleSchema(std::vector<Json> items);
Json documentSchema(std::string title, const Json& root, Json definitions);

}  // namespace zablab::json_detail
