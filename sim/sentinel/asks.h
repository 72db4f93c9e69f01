// What scenarios request of clients. `to`: the client writes to that server without asking a sentinel.
#pragma once

#include <boost/describe.hpp>
#include <cstdint>
#include <optional>
#include <string_view>
#include <variant>

#include "protocol/vocabulary.h"

namespace zablab::sentinel {
namespace asks {

/// The number of a write that is not given is the request's.
struct Write {
  static constexpr std::string_view name = "write";
  std::optional<std::int64_t> number = std::nullopt;
  std::optional<ServerId> to = std::nullopt;
};
BOOST_DESCRIBE_STRUCT(Write, (), (number, to))

}  // namespace asks

using Asks = std::variant<asks::Write>;

}  // namespace zablab::sentinel
