// One list of fields per struct (Boost.Describe), and what is derived from it: encoding, decoding and content
// hash. JSON, schemas and differences come from the same lists, in sim/json_reflect.h.
//
// Encoding: booleans and characters are a byte; enums and integers are base-128 varints (signed ones zigzag);
// strings, sequences, sets and maps a length and then their elements; optionals a 0 or a 1 and then the
// value; variants the index of the alternative and then its value; structs their fields in order. There is no
// padding, so values are equal exactly if their bytes are.
#pragma once

#include <array>
#include <boost/describe.hpp>
#include <boost/mp11.hpp>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "protocol/variant.h"

namespace zablab {

using Bytes = std::vector<std::uint8_t>;

template <class T>
concept DescribedStruct =
    boost::describe::has_describe_members<std::remove_const_t<T>>::value && std::is_class_v<T>;

template <class T>
concept DescribedEnum = boost::describe::has_describe_enumerators<T>::value;

/// A field's name in files of older versions, and its present name.
using Renamed = std::pair<std::string_view, std::string_view>;

/// Descriptors of the described fields of T, those of its bases first, in order: each has a `name` and a
/// `pointer`.
template <DescribedStruct T>
using FieldsOf = boost::mp11::mp_rename<
    boost::describe::describe_members<T, boost::describe::mod_public | boost::describe::mod_inherited>,
    boost::mp11::mp_list>;

/// Calls `visit(name, field)` for every described field of `value`.
template <DescribedStruct T, class Visit>
constexpr void forEachField(T& value, Visit&& visit) {
  [&]<class... Field>(boost::mp11::mp_list<Field...>) {
    (visit(Field::name, value.*Field::pointer), ...);
  }(FieldsOf<std::remove_const_t<T>>{});
}

/// Calls `visit(name, value)` for every described enumerator, in order.
template <DescribedEnum E, class Visit>
constexpr void forEachEnumerator(Visit&& visit) {
  [&]<class... One>(boost::mp11::mp_list<One...>) {
    (visit(std::string_view(One::name), One::value), ...);
  }(boost::mp11::mp_rename<boost::describe::describe_enumerators<E>, boost::mp11::mp_list>{});
}

/// Their names and values, in order.
template <DescribedEnum E>
inline constexpr auto enumerators_of = [] {
  std::array<std::pair<std::string_view, E>,
             boost::mp11::mp_size<boost::describe::describe_enumerators<E>>::value>
      list{};
  std::size_t next = 0;
  forEachEnumerator<E>([&](std::string_view name, E value) { list[next++] = {name, value}; });
  return list;
}();

/// The enumerator's own name, or "?" for a value that has none.
template <DescribedEnum E>
constexpr std::string_view enumName(E value) {
  for (const auto& [name, one] : enumerators_of<E>) {
    if (one == value) return name;
  }
  return "?";
}

template <DescribedEnum E>
constexpr std::optional<E> enumFromName(std::string_view name) {
  for (const auto& [one, value] : enumerators_of<E>) {
    if (one == name) return value;
  }
  return std::nullopt;
}

/// Thrown by decode() when the bytes are not an encoding of the wanted type.
class DecodeError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

namespace reflect_detail {

template <class T>
struct IsOptional : std::false_type {};
template <class T>
struct IsOptional<std::optional<T>> : std::true_type {};
template <class T>
struct IsVariant : std::false_type {};
template <class... T>
struct IsVariant<variant<T...>> : std::true_type {};
template <class T>
struct IsPair : std::false_type {};
template <class A, class B>
struct IsPair<std::pair<A, B>> : std::true_type {};
template <class T>
concept Container = requires(T t) {
  t.begin();
  t.end();
  t.size();
  typename T::value_type;
};

/// For writers and readers that treat every type as described here.
struct NoExceptions {};

/// Collects bytes and appends them many at a time, the last of them at `flush`. `Except` may write some types
/// itself, by `put(writer, value)`.
template <class Except = NoExceptions>
class Writer {
 public:
  explicit Writer(Bytes& out, Except except = {}) : out_(out), except_(std::move(except)) {}
  Writer(const Writer&) = delete;
  Writer& operator=(const Writer&) = delete;

  template <class T>
  void put(const T& value) {
    if constexpr (requires { except_.put(*this, value); }) {
      except_.put(*this, value);
    } else if constexpr (std::is_same_v<T, bool>) {
      byte(value ? 1 : 0);
    } else if constexpr (std::is_same_v<T, char>) {  // signed only on some machines
      byte(static_cast<std::uint8_t>(value));
    } else if constexpr (std::is_enum_v<T>) {
      put(static_cast<std::underlying_type_t<T>>(value));
    } else if constexpr (std::is_integral_v<T> && std::is_signed_v<T>) {
      const auto wide = static_cast<std::int64_t>(value);
      varint((static_cast<std::uint64_t>(wide) << 1) ^ static_cast<std::uint64_t>(wide >> 63));
    } else if constexpr (std::is_integral_v<T>) {
      varint(value);
    } else if constexpr (std::is_same_v<T, monostate>) {
    } else if constexpr (IsOptional<T>::value) {
      put(value.has_value());
      if (value) put(*value);
    } else if constexpr (IsVariant<T>::value) {
      varint(value.index());
      visit([&](const auto& alternative) { this->put(alternative); }, value);
    } else if constexpr (IsPair<T>::value) {
      put(value.first);
      put(value.second);
    } else if constexpr (requires { value.encodeTo(out_); }) {
      putEncoded(value);
    } else if constexpr (Container<T>) {
      varint(value.size());
      for (const typename T::value_type& element : value) put(element);
    } else {
      static_assert(DescribedStruct<T>, "describe the struct's fields with BOOST_DESCRIBE_STRUCT");
      putFields(value, FieldsOf<T>{});
    }
  }

  /// A value that encodes itself.
  template <class T>
  void putEncoded(const T& value) {
    flush();
    value.encodeTo(out_);
  }

  void flush() {
    out_.insert(out_.end(), collected_.begin(), collected_.begin() + used_);
    used_ = 0;
  }

 private:
  template <class T, class... Field>
  void putFields(const T& value, boost::mp11::mp_list<Field...>) {
    (put(value.*Field::pointer), ...);
  }
  void varint(std::uint64_t value) {
    for (; value >= 0x80; value >>= 7) byte(static_cast<std::uint8_t>(value | 0x80));
    byte(static_cast<std::uint8_t>(value));
  }
  void byte(std::uint8_t value) {
    if (used_ == std::ssize(collected_)) flush();
    collected_[static_cast<std::size_t>(used_++)] = value;
  }

  Bytes& out_;
  [[no_unique_address]] Except except_;
  std::ptrdiff_t used_ = 0;
  std::array<std::uint8_t, 128> collected_;
};

/// `Except` may read some types itself, by `get(reader, value)`.
template <class Except = NoExceptions>
class Reader {
 public:
  explicit Reader(std::span<const std::uint8_t> in, Except except = {})
      : in_(in), except_(std::move(except)) {}

  bool atEnd() const { return at_ == in_.size(); }
  /// What was not read yet.
  std::span<const std::uint8_t> rest() const { return in_.subspan(at_); }
  void skip(std::size_t bytes) { at_ += bytes; }

  template <class T>
  void get(T& value) {
    if constexpr (requires { except_.get(*this, value); }) {
      except_.get(*this, value);
    } else if constexpr (std::is_same_v<T, bool>) {
      value = byte() != 0;
    } else if constexpr (std::is_same_v<T, char>) {
      value = static_cast<char>(byte());
    } else if constexpr (std::is_enum_v<T>) {
      std::underlying_type_t<T> number{};
      get(number);
      value = static_cast<T>(number);
    } else if constexpr (std::is_integral_v<T> && std::is_signed_v<T>) {
      const std::uint64_t zigzag = varint();
      value = static_cast<T>(static_cast<std::int64_t>((zigzag >> 1) ^ (~(zigzag & 1) + 1)));
    } else if constexpr (std::is_integral_v<T>) {
      value = static_cast<T>(varint());
    } else if constexpr (std::is_same_v<T, monostate>) {
    } else if constexpr (IsOptional<T>::value) {
      bool present = false;
      get(present);
      value.reset();
      if (present) get(value.emplace());
    } else if constexpr (IsVariant<T>::value) {
      alternative(value, varint(), std::make_index_sequence<variant_size_v<T>>{});
    } else if constexpr (IsPair<T>::value) {
      get(value.first);
      get(value.second);
    } else if constexpr (Container<T>) {
      std::uint64_t left = length();
      if constexpr (requires { value.clear(); }) {
        value.clear();
        for (; left > 0; --left) append(value);
      } else {
        if (left != value.size()) throw DecodeError("an array has another length");
        for (auto& element : value) get(element);
      }
    } else {
      static_assert(DescribedStruct<T>, "describe the struct's fields with BOOST_DESCRIBE_STRUCT");
      getFields(value, FieldsOf<T>{});
    }
  }

 private:
  template <class T, class... Field>
  void getFields(T& value, boost::mp11::mp_list<Field...>) {
    (get(value.*Field::pointer), ...);
  }
  std::uint8_t byte() {
    if (at_ == in_.size()) throw DecodeError("the encoding ends too early");
    return in_[at_++];
  }

  std::uint64_t varint() {
    std::uint64_t value = 0;
    for (unsigned shift = 0; shift < 64; shift += 7) {
      const std::uint8_t next = byte();
      value |= static_cast<std::uint64_t>(next & 0x7f) << shift;
      if ((next & 0x80) == 0) return value;
    }
    throw DecodeError("a number is longer than 64 bits");
  }

  std::uint64_t length() {
    const std::uint64_t count = varint();
    if (count > in_.size() - at_) throw DecodeError("a length goes beyond the end of the encoding");
    return count;
  }

  template <class C>
  void append(C& container) {
    if constexpr (requires { typename C::mapped_type; }) {
      std::pair<typename C::key_type, typename C::mapped_type> entry;
      get(entry);
      container.insert(container.end(), std::move(entry));
    } else {
      typename C::value_type element{};
      get(element);
      container.insert(container.end(), std::move(element));
    }
  }

  template <class V, std::size_t... I>
  void alternative(V& value, std::uint64_t index, std::index_sequence<I...>) {
    const bool known = ((index == I ? (get(value.template emplace<I>()), true) : false) || ...);
    if (!known) throw DecodeError("a variant has no such alternative");
  }

  std::span<const std::uint8_t> in_;
  [[no_unique_address]] Except except_;
  std::size_t at_ = 0;
};

}  // namespace reflect_detail

/// Appends the encoding of `value` to `out`.
template <class T>
void encodeTo(Bytes& out, const T& value) {
  reflect_detail::Writer<> writer(out);
  writer.put(value);
  writer.flush();
}

template <class T>
Bytes encode(const T& value) {
  Bytes out;
  encodeTo(out, value);
  return out;
}

/// The value that `bytes` encode. Throws DecodeError if they are too short, too long or no encoding of a T.
template <class T>
T decode(std::span<const std::uint8_t> bytes) {
  T value{};
  reflect_detail::Reader<> reader(bytes);
  reader.get(value);
  if (!reader.atEnd()) throw DecodeError("bytes are left over behind the encoding");
  return value;
}

/// SplitMix64's finalizer (Steele, Lea, Flood 2014): every bit of the input reaches every bit of the output.
constexpr std::uint64_t mix64(std::uint64_t x) {
  x += 0x9e3779b97f4a7c15ULL;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ULL;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebULL;
  return x ^ (x >> 31);
}

/// A 64-bit hash of bytes: the same on every machine, compiler and run.
constexpr std::uint64_t hashBytes(std::span<const std::uint8_t> bytes) {
  const auto take = [&bytes](std::size_t size) {
    std::uint64_t word = 0;
    for (std::size_t i = 0; i < size; ++i) word |= static_cast<std::uint64_t>(bytes[i]) << (8 * i);
    bytes = bytes.subspan(size);
    return word;
  };
  std::uint64_t hash = mix64(bytes.size());
  while (bytes.size() >= 8) hash = mix64(hash ^ take(8));
  return bytes.empty() ? hash : mix64(hash ^ take(bytes.size()));
}

/// A hash of the value's content, by way of its encoding.
template <class T>
std::uint64_t contentHash(const T& value) {
  return hashBytes(encode(value));
}

}  // namespace zablab
