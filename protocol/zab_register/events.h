// What clients learn, and how servers refuse them.
#pragma once

#include <optional>
#include <string_view>

#include "protocol/zab/types.h"
#include "protocol/zab_register/types.h"

namespace zablab::zab {

/// How a client's request ended, as seen by the client. `unknown`: the connection was lost before the answer.
enum class Outcome : std::uint8_t { ok, unknown, not_sent };
BOOST_DESCRIBE_ENUM(Outcome, ok, unknown, not_sent)

struct Answered {
  static constexpr std::string_view name = "answered";
  Operation operation{};
  std::int64_t number = 0;
  Outcome outcome{};
  Zxid zxid;
  std::optional<std::int64_t> value;
  bool operator==(const Answered&) const = default;
};
BOOST_DESCRIBE_STRUCT(Answered, (), (operation, number, outcome, zxid, value))

/// A client that has seen more than this server has was refused.
struct ClientRefused {
  static constexpr std::string_view name = "client_refused";
  ServerId client = no_server;
  Zxid seen;
  Zxid here;
  bool operator==(const ClientRefused&) const = default;
};
BOOST_DESCRIBE_STRUCT(ClientRefused, (), (client, seen, here))

}  // namespace zablab::zab
