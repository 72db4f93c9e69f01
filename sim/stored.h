// Values that engines hold, as bytes from which they can be read again: in another process of the same
// program, which knows the family's types.
#pragma once

#include <cstddef>
#include <span>
#include <stdexcept>
#include <type_traits>
#include <utility>
#include <vector>

#include "sim/any.h"

namespace zablab {

/// A type of a family's own values, and how one is read: `in` begins with it, and loses it.
struct StoredType {
  const ValueType* type;
  Value (*read)(std::span<const std::uint8_t>& in);
};

template <class T>
StoredType storedType() {
  return {&valueTypeOf<T>(), [](std::span<const std::uint8_t>& in) {
            reflect_detail::Reader<> reader(in);
            T value{};
            if constexpr (requires { value.value; } && !value_detail::has_json<T>) {
              reader.get(value.value);
            } else {
              reader.get(value);
            }
            in = reader.rest();
            return Value(std::move(value));
          }};
}

/// Appends the type if values hold it: servers' ids are held by themselves.
template <class T>
void addStoredType(std::vector<StoredType>& types) {
  if constexpr (!std::is_same_v<T, ServerId>) types.push_back(storedType<T>());
}

/// For a Writer or a Reader: a value is preceded by the number of its type; 0: none.
class StoredValues {
 public:
  explicit StoredValues(std::span<const StoredType> types) : types_(types) {}

  template <class Writer>
  void put(Writer& writer, const Value& value) const {
    if (value.empty()) return writer.put(std::uint32_t{0});
    std::uint32_t which = 0;
    while (which < types_.size() && types_[which].type != &value.type()) ++which;
    if (which == types_.size()) throw std::logic_error("a value of a type that is not stored");
    writer.put(which + 1);
    writer.putEncoded(value);
  }
  template <class Writer>
  void put(Writer& writer, const AnyKey& key) const {
    writer.put(key.server);
    put(writer, key.own);
  }
  template <class Reader>
  void get(Reader& reader, Value& value) const {
    std::uint32_t which = 0;
    reader.get(which);
    if (which > types_.size()) throw DecodeError("a value of an unknown type");
    value = {};
    if (which == 0) return;
    std::span<const std::uint8_t> rest = reader.rest();
    const std::size_t before = rest.size();
    value = types_[which - 1].read(rest);
    reader.skip(before - rest.size());
  }
  template <class Reader>
  void get(Reader& reader, AnyKey& key) const {
    reader.get(key.server);
    get(reader, key.own);
  }

 private:
  std::span<const StoredType> types_;
};

}  // namespace zablab
