// What scenarios request: of clients reads and writes of a slot, of replicas a failover. A value that is not
// given is the request's number.
#pragma once

#include <boost/describe.hpp>
#include <cstdint>
#include <optional>
#include <string_view>

#include "protocol/variant.h"

namespace zablab::redis_cluster {
namespace asks {

struct Read {
  static constexpr std::string_view name = "read";
  std::int64_t slot = 1;
};
BOOST_DESCRIBE_STRUCT(Read, (), (slot))
struct Write {
  static constexpr std::string_view name = "write";
  std::optional<std::int64_t> value = std::nullopt;
  std::int64_t slot = 1;
};
BOOST_DESCRIBE_STRUCT(Write, (), (value, slot))
/// CLUSTER FAILOVER TAKEOVER
struct Takeover {
  static constexpr std::string_view name = "takeover";
};
BOOST_DESCRIBE_STRUCT(Takeover, (), ())
/// CLUSTER FAILOVER FORCE
struct Force {
  static constexpr std::string_view name = "force";
};
BOOST_DESCRIBE_STRUCT(Force, (), ())
/// CLUSTER FAILOVER
struct Failover {
  static constexpr std::string_view name = "failover";
};
BOOST_DESCRIBE_STRUCT(Failover, (), ())

}  // namespace asks

using Asks = variant<asks::Read, asks::Write, asks::Takeover, asks::Force, asks::Failover>;

}  // namespace zablab::redis_cluster
