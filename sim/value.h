// Values of a family's own types, as engines hold them: a handle to a value that is not changed as long as
// several handles share it, and a type that can compare, encode and write it. So engines are compiled once,
// for all families.
#pragma once

#include <atomic>
#include <cassert>
#include <compare>
#include <cstdint>
#include <new>
#include <stdexcept>
#include <type_traits>
#include <utility>

#include "protocol/reflect.h"
#include "sim/json_reflect.h"

namespace zablab {

/// What can be done with the values of one type. There is one object for each type.
class ValueType {
 public:
  virtual bool areEqual(const void* a, const void* b) const = 0;
  virtual std::strong_ordering compare(const void* a, const void* b) const = 0;  ///< of keys
  virtual void encode(Bytes& out, const void* value) const = 0;
  virtual const json_detail::Type& json() const = 0;

 protected:
  ~ValueType() = default;
};

template <class T>
const ValueType& valueTypeOf();

/// A handle. Copies share the value; `change` makes it its own first.
class Value {
 public:
  Value() = default;
  template <class T>
  requires(!std::is_same_v<std::remove_cvref_t<T>, Value>) explicit Value(T&& value)
      : box_(new BoxOf<std::remove_cvref_t<T>>(std::forward<T>(value))) {}
  Value(const Value& other) : box_(other.box_) { hold(); }
  Value(Value&& other) noexcept : box_(std::exchange(other.box_, nullptr)) {}
  Value& operator=(const Value& other) { return *this = Value(other); }
  Value& operator=(Value&& other) noexcept {
    std::swap(box_, other.box_);
    return *this;
  }
  ~Value() { release(); }

  bool empty() const { return box_ == nullptr; }
  const ValueType& type() const { return *box_->type; }
  const void* get() const { return box_->at; }
  /// The value, of which the caller knows the type.
  template <class T>
  const T& as() const {
    assert(box_ != nullptr && box_->type == &valueTypeOf<T>());
    return static_cast<const BoxOf<T>*>(box_)->value;
  }
  /// The same, to be changed: no other handle shares it.
  template <class T>
  T& change() {
    assert(box_ != nullptr && box_->type == &valueTypeOf<T>());
    if (box_->handles.load(std::memory_order_acquire) != 1) *this = Value(as<T>());
    return static_cast<BoxOf<T>*>(box_)->value;
  }
  /// The value itself, which is moved if nobody shares it.
  template <class T>
  T take() && {
    if (box_->handles.load(std::memory_order_acquire) == 1)
      return std::move(static_cast<BoxOf<T>*>(box_)->value);
    return as<T>();
  }

  friend bool operator==(const Value& a, const Value& b) {
    if (a.box_ == b.box_) return true;
    if (a.box_ == nullptr || b.box_ == nullptr) return false;
    return a.box_->type == b.box_->type && a.type().areEqual(a.get(), b.get());
  }
  /// Nothing is before everything.
  friend std::strong_ordering operator<=>(const Value& a, const Value& b) {
    if (a.box_ == b.box_) return std::strong_ordering::equal;
    if (a.box_ == nullptr) return std::strong_ordering::less;
    if (b.box_ == nullptr) return std::strong_ordering::greater;
    return a.type().compare(a.get(), b.get());
  }
  void encodeTo(Bytes& out) const {
    if (box_ != nullptr) type().encode(out, get());
  }

 private:
  struct Box {
    Box(const ValueType& of, const void* address) : type(&of), at(address) {}
    virtual ~Box() = default;
    const ValueType* type;
    const void* at;
    std::atomic<std::uint32_t> handles{1};
  };
  template <class T>
  struct BoxOf final : Box {
    template <class From>
    explicit BoxOf(From&& from) : Box(valueTypeOf<T>(), &value), value(std::forward<From>(from)) {}
    T value;
  };

  void hold() const {
    if (box_ != nullptr) box_->handles.fetch_add(1, std::memory_order_relaxed);
  }
  void release() {
    if (box_ != nullptr && box_->handles.fetch_sub(1, std::memory_order_acq_rel) == 1) delete box_;
  }

  Box* box_ = nullptr;
};

inline Json toJson(const Value& value) {
  return value.empty() ? Json(nullptr) : value.type().json().write(value.get());
}

/// A value that is shown to nobody: it has no JSON.
template <class T>
struct WithoutJson {
  T value;
  bool operator==(const WithoutJson&) const = default;
  void encodeTo(Bytes& out) const { zablab::encodeTo(out, value); }
};

namespace value_detail {

template <class T>
constexpr bool has_json = true;
template <class T>
constexpr bool has_json<WithoutJson<T>> = false;

template <class T>
class TypeOfValues final : public ValueType {
 public:
  bool areEqual(const void* a, const void* b) const override { return of(a) == of(b); }
  std::strong_ordering compare(const void* a, const void* b) const override {
    if constexpr (std::three_way_comparable<T, std::strong_ordering>) return of(a) <=> of(b);
    assert(false);
    return std::strong_ordering::equal;
  }
  void encode(Bytes& out, const void* value) const override { encodeTo(out, of(value)); }
  const json_detail::Type& json() const override {
    if constexpr (has_json<T>) return json_detail::typeOf<T>();
    throw std::logic_error("a value without JSON");
  }

 private:
  static const T& of(const void* value) { return *static_cast<const T*>(value); }
};

}  // namespace value_detail

template <class T>
const ValueType& valueTypeOf() {
  static constexpr value_detail::TypeOfValues<T> type;
  return type;
}

}  // namespace zablab
