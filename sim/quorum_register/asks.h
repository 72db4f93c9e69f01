// What scenarios request of clients. A value that is not given is the request's number; `clock` is the
// reading of the client's own clock and, if not given, is also that number.
#pragma once

#include <boost/describe.hpp>
#include <cstdint>
#include <optional>
#include <string_view>
#include <variant>

namespace zablab::quorum_register {
namespace asks {

struct Read {
  static constexpr std::string_view name = "read";
};
BOOST_DESCRIBE_STRUCT(Read, (), ())
struct Write {
  static constexpr std::string_view name = "write";
  std::optional<std::int64_t> value = std::nullopt;
  std::optional<std::int64_t> clock = std::nullopt;
};
BOOST_DESCRIBE_STRUCT(Write, (), (value, clock))
struct CompareAndSet {
  static constexpr std::string_view name = "compare_and_set";
  std::optional<std::int64_t> value = std::nullopt;
  std::int64_t expected = 0;  ///< the value that is replaced
  std::optional<std::int64_t> clock = std::nullopt;
};
BOOST_DESCRIBE_STRUCT(CompareAndSet, (), (value, expected, clock))

}  // namespace asks

using Asks = std::variant<asks::Read, asks::Write, asks::CompareAndSet>;

}  // namespace zablab::quorum_register
