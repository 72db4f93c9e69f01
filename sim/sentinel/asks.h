// What scenarios request of clients. `to`: of that server, without asking a sentinel.
#pragma once

#include <boost/describe.hpp>
#include <cstdint>
#include <optional>
#include <string_view>

#include "protocol/variant.h"
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

/// The last write that the server has.
struct Read {
  static constexpr std::string_view name = "read";
  std::optional<ServerId> to = std::nullopt;
};
BOOST_DESCRIBE_STRUCT(Read, (), (to))

}  // namespace asks

using Asks = variant<asks::Write, asks::Read>;

}  // namespace zablab::sentinel
