// Values of one variant as values of another one that has some of the same alternatives.
#pragma once

#include <optional>
#include <type_traits>

#include "protocol/variant.h"

namespace zablab {

/// Empty: `To` does not have the alternative.
template <class To, class From>
std::optional<To> converted(const From& value) {
  return visit(
      [](const auto& one) -> std::optional<To> {
        if constexpr (std::is_constructible_v<To, const std::decay_t<decltype(one)>&>) return To(one);
        return std::nullopt;
      },
      value);
}

}  // namespace zablab
