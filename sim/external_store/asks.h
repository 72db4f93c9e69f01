// What scenarios request: of clients `write` and `read`, of candidates `resign`.
#pragma once

#include <boost/describe.hpp>
#include <cstdint>
#include <optional>
#include <string_view>

#include "protocol/variant.h"
#include "protocol/vocabulary.h"

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
/// Who leads. `store`: asked of this server of the store, if it answers.
struct Read {
  static constexpr std::string_view name = "read";
  std::optional<ServerId> store = std::nullopt;
};
BOOST_DESCRIBE_STRUCT(Read, (), (store))

}  // namespace asks

using Asks = variant<asks::Write, asks::Resign, asks::Read>;

}  // namespace zablab::external_store
