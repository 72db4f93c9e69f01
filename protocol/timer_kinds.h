// The kinds of timers that a family has: an enumeration or, if one layer is built on another, the
// enumerations of both.
#pragma once

#include <compare>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "protocol/reflect.h"

namespace zablab {

/// How many enumerators there are, numbered from 0 without a gap.
template <DescribedEnum E>
constexpr std::size_t enumCount() {
  return boost::mp11::mp_size<boost::describe::describe_enumerators<E>>::value;
}

/// A kind of the layer below or of the one above: the numbers of the layer below come first. No two kinds
/// have the same name.
template <DescribedEnum Below, DescribedEnum Above>
struct JoinedKinds {
  std::uint8_t index = 0;

  constexpr JoinedKinds() = default;
  constexpr JoinedKinds(Below kind) : index(static_cast<std::uint8_t>(kind)) {}
  constexpr JoinedKinds(Above kind)
      : index(static_cast<std::uint8_t>(enumCount<Below>() + static_cast<std::size_t>(kind))) {}
  template <std::unsigned_integral I>
  constexpr explicit JoinedKinds(I number) : index(static_cast<std::uint8_t>(number)) {}
  template <std::unsigned_integral I>
  constexpr explicit operator I() const {
    return index;
  }

  constexpr std::optional<Below> below() const {
    if (index >= enumCount<Below>()) return std::nullopt;
    return static_cast<Below>(index);
  }
  constexpr std::optional<Above> above() const {
    if (index < enumCount<Below>()) return std::nullopt;
    return static_cast<Above>(index - enumCount<Below>());
  }
  auto operator<=>(const JoinedKinds&) const = default;
  BOOST_DESCRIBE_CLASS(JoinedKinds, (), (index), (), ())
};

template <class Kind>
inline constexpr bool is_joined = false;
template <class Below, class Above>
inline constexpr bool is_joined<JoinedKinds<Below, Above>> = true;

namespace timer_kinds_detail {

template <class Kind>
struct Joined;
template <class B, class A>
struct Joined<JoinedKinds<B, A>> {
  using Below = B;
  using Above = A;
};

}  // namespace timer_kinds_detail

/// Calls `visit(name, kind)` for every kind, in order.
template <class Kind, class Visit>
constexpr void forEachTimerKind(Visit&& visit) {
  if constexpr (is_joined<Kind>) {
    using Layers = timer_kinds_detail::Joined<Kind>;
    forEachEnumerator<typename Layers::Below>(
        [&](std::string_view name, auto kind) { visit(name, Kind(kind)); });
    forEachEnumerator<typename Layers::Above>(
        [&](std::string_view name, auto kind) { visit(name, Kind(kind)); });
  } else {
    forEachEnumerator<Kind>(visit);
  }
}

template <class Kind>
constexpr std::size_t timerKindCount() {
  std::size_t count = 0;
  forEachTimerKind<Kind>([&](std::string_view, Kind) { ++count; });
  return count;
}

template <class Kind>
constexpr std::optional<Kind> timerKindFromName(std::string_view name) {
  std::optional<Kind> found;
  forEachTimerKind<Kind>([&](std::string_view candidate, Kind kind) {
    if (candidate == name) found = kind;
  });
  return found;
}

}  // namespace zablab
