// What clients request of the register, and which part of it is in the log.
#pragma once

#include <boost/describe.hpp>
#include <cstdint>

#include "protocol/vocabulary.h"

namespace zablab::zab {

enum class TxnKind : std::uint8_t { put, open_session, close_session };
BOOST_DESCRIBE_ENUM(TxnKind, put, open_session, close_session)

/// A write. `client` and `number` identify the request that it answers.
struct Write {
  TxnKind kind = TxnKind::put;
  std::int64_t value = 0;
  ServerId client = no_server;
  std::int64_t number = 0;
  bool operator==(const Write&) const = default;
};
BOOST_DESCRIBE_STRUCT(Write, (), (kind, value, client, number))

/// The last value put.
struct RegisterState {
  std::int64_t value = 0;
  bool operator==(const RegisterState&) const = default;
};
BOOST_DESCRIBE_STRUCT(RegisterState, (), (value))

/// The kind of a client's request. `connect` names a server and sends nothing by itself.
enum class Operation : std::uint8_t { put, read, sync, open_session, close_session, connect };
BOOST_DESCRIBE_ENUM(Operation, put, read, sync, open_session, close_session, connect)

/// What a client is instructed to do; an input of its node. `connect` turns to `server`.
struct Request {
  Operation operation{};
  std::int64_t value = 0;
  std::int64_t number = 0;
  ServerId server = no_server;
  bool operator==(const Request&) const = default;
};
BOOST_DESCRIBE_STRUCT(Request, (), (operation, value, number, server))

}  // namespace zablab::zab
