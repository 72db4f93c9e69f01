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

#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "protocol/variant.h"
#include "sim/binding.h"
#include "sim/json_reflect.h"
#include "sim/scenario.h"

namespace zablab {
/// The keys that are a family's own, with what each may be, for the formats' schemas.
struct OwnKeys {
  Json step = Json::object();
  Json server = Json::object();
  Json scenario = Json::object();
};

namespace asks_detail {

/// Reads a request into the variant `asks`, and throws InputError; writes it.
void readAsks(const json_detail::VariantType& type, void* asks, const JsonValue& place,
              const OwnMembers& members);
Json writeAsks(const json_detail::VariantType& type, const void* asks);
/// Reads the fields that the members give; `keys` are the other keys next to them. Throws InputError.
void readOwn(const json_detail::StructType& type, void* fields, const OwnMembers& members,
             std::vector<std::string> keys);
OwnKeys ownKeys(const json_detail::VariantType& asks, const json_detail::StructType& server,
                const json_detail::StructType& scenario);

/// `true` selects the default of a request's first field, which therefore is no flag.
template <class... Ask>
constexpr bool haveNoFlags(variant<Ask...>*) {
  const auto has = []<class T>(std::type_identity<T>) {
    bool first = true;
    bool found = false;
    json_detail::forEachMember<T>([&](std::string_view, auto pointer) {
      using Field = std::remove_cvref_t<decltype(std::declval<T&>().*pointer)>;
      found = found || (first && std::is_same_v<Field, bool>);
      first = false;
    });
    return found;
  };
  return !(has(std::type_identity<Ask>{}) || ...);
}

}  // namespace asks_detail

/// The request that the members, located in `place`, describe. Throws InputError.
template <class Asks>
Asks readAsks(const JsonValue& place, const OwnMembers& members) {
  static_assert(asks_detail::haveNoFlags(static_cast<Asks*>(nullptr)), "`true` selects a default");
  Asks asks;
  asks_detail::readAsks(json_detail::variantTypeOf<Asks>(), &asks, place, members);
  return asks;
}

/// The keys of an object that describes this request.
template <class Asks>
Json writeAsks(const Asks& asks) {
  return asks_detail::writeAsks(json_detail::variantTypeOf<Asks>(), &asks);
}

/// The fields that the members give; `keys` are the other keys next to them. Throws InputError.
template <class Fields>
Fields readOwn(const OwnMembers& members, std::vector<std::string> keys) {
  Fields fields{};
  asks_detail::readOwn(json_detail::structTypeOf<Fields>(), &fields, members, std::move(keys));
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
  return server.own.empty() ? Fields{}
                            : readOwn<Fields>(server.own, json_detail::structTypeOf<ServerSpec>().names());
}
/// The family's own fields of a scenario or a model; `keys` are its other keys. Throws InputError.
template <class Fields>
Fields fieldsOf(const Setting& setting, std::vector<std::string> keys = {}) {
  return setting.own.empty() ? Fields{} : readOwn<Fields>(setting.own, std::move(keys));
}

template <class F>
OwnKeys ownKeys() {
  return asks_detail::ownKeys(json_detail::variantTypeOf<typename Binding<F>::Asks>(),
                              json_detail::structTypeOf<ServerFieldsOf<F>>(),
                              json_detail::structTypeOf<ScenarioFieldsOf<F>>());
}

}  // namespace zablab
