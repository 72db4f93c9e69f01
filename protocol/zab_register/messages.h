// The messages between clients and servers that belong to the register.
#pragma once

#include <optional>
#include <string_view>

#include "protocol/variant.h"
#include "protocol/zab/types.h"
#include "protocol/zab_register/types.h"

namespace zablab::zab {

/// A client's request, forwarded to the leader by the server that the client is connected to.
struct Forwarded {
  static constexpr std::string_view name = "REQUEST";
  Operation operation{};
  std::int64_t value = 0;
  ServerId client = no_server;
  std::int64_t number = 0;
  bool operator==(const Forwarded&) const = default;
};
BOOST_DESCRIBE_STRUCT(Forwarded, (), (operation, value, client, number))

/// Everything that was proposed when the client asked to sync has been committed.
struct SyncDone {
  static constexpr std::string_view name = "SYNC";
  ServerId client = no_server;
  std::int64_t number = 0;
  bool operator==(const SyncDone&) const = default;
};
BOOST_DESCRIBE_STRUCT(SyncDone, (), (client, number))

/// A client's first message: what it has seen so far.
struct ClientHello {
  static constexpr std::string_view name = "CONNECT";
  Zxid last_seen;
  bool operator==(const ClientHello&) const = default;
};
BOOST_DESCRIBE_STRUCT(ClientHello, (), (last_seen))

struct ClientRequest {
  static constexpr std::string_view name = "CLIENT_REQUEST";
  static constexpr std::string_view former_name = "ASK";
  Operation operation{};
  std::int64_t value = 0;
  std::int64_t number = 0;
  bool operator==(const ClientRequest&) const = default;
};
BOOST_DESCRIBE_STRUCT(ClientRequest, (), (operation, value, number))

/// `zxid` is that of the write, or of the last transaction that the server had applied when it answered;
/// `value` is a read's answer.
struct Reply {
  static constexpr std::string_view name = "REPLY";
  static constexpr std::string_view former_name = "ANSWER";
  Operation operation{};
  std::int64_t number = 0;
  Zxid zxid;
  std::optional<std::int64_t> value;
  bool operator==(const Reply&) const = default;
};
BOOST_DESCRIBE_STRUCT(Reply, (), (operation, number, zxid, value))

inline constexpr Link client_link = 2;

}  // namespace zablab::zab
