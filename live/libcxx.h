// What the standard library of emscripten 3.1.6 (libc++ 13) lacks of C++20 and this program uses. Included
// before everything else, when it is compiled for pages.
#pragma once

#include <algorithm>
#include <array>
#include <compare>
#include <concepts>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

static_assert(_LIBCPP_VERSION < 14000, "a newer library has these by itself: leave out what it has");

namespace std {

template <class T, class Category = partial_ordering>
concept three_way_comparable = requires(const remove_reference_t<T>& a, const remove_reference_t<T>& b) {
  { a <=> b } -> convertible_to<Category>;
  { a == b } -> convertible_to<bool>;
  { a < b } -> convertible_to<bool>;
};

namespace zablab_libcxx {

template <class T>
constexpr auto compared(const T& a, const T& b) {
  if constexpr (three_way_comparable<T>) {
    return a <=> b;
  } else {
    return a < b ? weak_ordering::less : b < a ? weak_ordering::greater : weak_ordering::equivalent;
  }
}
template <class T>
using Compared = decltype(compared(declval<const T&>(), declval<const T&>()));

template <class Range>
constexpr auto comparedInOrder(const Range& a, const Range& b) -> Compared<typename Range::value_type> {
  auto one = a.begin();
  auto other = b.begin();
  for (; one != a.end() && other != b.end(); ++one, ++other) {
    if (const auto order = compared(*one, *other); order != 0) return order;
  }
  if (one != a.end()) return Compared<typename Range::value_type>::greater;
  if (other != b.end()) return Compared<typename Range::value_type>::less;
  return Compared<typename Range::value_type>::equivalent;
}

}  // namespace zablab_libcxx

template <class Char, class Traits, class Allocator>
strong_ordering operator<=>(const basic_string<Char, Traits, Allocator>& a,
                            const basic_string<Char, Traits, Allocator>& b) {
  return a.compare(b) <=> 0;
}

template <class Char, class Traits>
constexpr strong_ordering operator<=>(basic_string_view<Char, Traits> a, basic_string_view<Char, Traits> b) {
  return a.compare(b) <=> 0;
}

template <class T, class Allocator>
constexpr auto operator<=>(const vector<T, Allocator>& a, const vector<T, Allocator>& b)
    -> zablab_libcxx::Compared<T> {
  return zablab_libcxx::comparedInOrder(a, b);
}

template <class T, size_t n>
constexpr auto operator<=>(const array<T, n>& a, const array<T, n>& b) -> zablab_libcxx::Compared<T> {
  return zablab_libcxx::comparedInOrder(a, b);
}

template <class T>
constexpr auto operator<=>(const optional<T>& a, const optional<T>& b) -> zablab_libcxx::Compared<T> {
  if (a && b) return zablab_libcxx::compared(*a, *b);
  return a.has_value() <=> b.has_value();
}

template <class A, class B>
constexpr auto operator<=>(const pair<A, B>& a, const pair<A, B>& b)
    -> common_comparison_category_t<zablab_libcxx::Compared<A>, zablab_libcxx::Compared<B>> {
  if (const auto order = zablab_libcxx::compared(a.first, b.first); order != 0) return order;
  return zablab_libcxx::compared(a.second, b.second);
}

template <class T>
requires is_array_v<T> unique_ptr<T> make_unique_for_overwrite(size_t n) {
  return unique_ptr<T>(new remove_extent_t<T>[n]);
}

class jthread : public thread {
 public:
  using thread::thread;
  jthread(jthread&&) = default;
  ~jthread() {
    if (joinable()) join();
  }
};

}  // namespace std
