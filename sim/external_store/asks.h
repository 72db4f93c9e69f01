// What scenarios request: of clients `write`, of candidates `resign`.
#pragma once

#include <boost/describe.hpp>
#include <cstdint>
#include <optional>
#include <string_view>
#include <variant>

namespace zablab::external_store {
namespace asks {

/// The number of a write that is not given is the request's.
struct Write {
  static constexpr std::string_view name = "write";
  std::optional<std::int64_t> number = std::nullopt;
};
BOOST_DESCRIBE_STRUCT(Write, (), (number))
struct Resign {
  static constexpr std::string_view name = "resign";
};
BOOST_DESCRIBE_STRUCT(Resign, (), ())

}  // namespace asks

using Asks = std::variant<asks::Write, asks::Resign>;

}  // namespace zablab::external_store
