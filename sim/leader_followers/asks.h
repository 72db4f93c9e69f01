// What scenarios request of clients, or of a leader itself.
#pragma once

#include <boost/describe.hpp>
#include <cstdint>
#include <optional>
#include <string_view>

#include "protocol/variant.h"
#include "protocol/vocabulary.h"

namespace zablab::leader_followers {
namespace asks {

/// A value that is not given is the request's number.
struct Write {
  static constexpr std::string_view name = "write";
  std::optional<std::int64_t> value = std::nullopt;
};
BOOST_DESCRIBE_STRUCT(Write, (), (value))
struct Read {
  static constexpr std::string_view name = "read";
};
BOOST_DESCRIBE_STRUCT(Read, (), ())
struct Connect {
  static constexpr std::string_view name = "connect";
  ServerId server = no_server;
};
BOOST_DESCRIBE_STRUCT(Connect, (), (server))

}  // namespace asks

using Asks = variant<asks::Write, asks::Read, asks::Connect>;

}  // namespace zablab::leader_followers
