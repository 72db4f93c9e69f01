// What scenarios request of the register's clients, or of a leader itself.
#pragma once

#include <boost/describe.hpp>
#include <cstdint>
#include <optional>
#include <string_view>

#include "protocol/variant.h"
#include "protocol/vocabulary.h"

namespace zablab::zab {
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
struct Sync {
  static constexpr std::string_view name = "sync";
};
BOOST_DESCRIBE_STRUCT(Sync, (), ())
struct OpenSession {
  static constexpr std::string_view name = "open_session";
  std::optional<std::int64_t> value = std::nullopt;
};
BOOST_DESCRIBE_STRUCT(OpenSession, (), (value))
struct CloseSession {
  static constexpr std::string_view name = "close_session";
  std::optional<std::int64_t> value = std::nullopt;
};
BOOST_DESCRIBE_STRUCT(CloseSession, (), (value))
struct Connect {
  static constexpr std::string_view name = "connect";
  ServerId server = no_server;
};
BOOST_DESCRIBE_STRUCT(Connect, (), (server))

}  // namespace asks

using Asks =
    variant<asks::Write, asks::Read, asks::Sync, asks::OpenSession, asks::CloseSession, asks::Connect>;

}  // namespace zablab::zab
