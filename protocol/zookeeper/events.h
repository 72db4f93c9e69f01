// What clients learn, and what servers do about sessions.
#pragma once

#include <boost/describe.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "protocol/vocabulary.h"
#include "protocol/zookeeper/operation.h"
#include "protocol/zookeeper/types.h"

namespace zablab::zookeeper {

/// ZooKeeper.States, of a client.
enum class ClientState : std::uint8_t { CONNECTING, CONNECTED, CLOSED, AUTH_FAILED, CONNECTEDREADONLY };
BOOST_DESCRIBE_ENUM(ClientState, CONNECTING, CONNECTED, CLOSED, AUTH_FAILED, CONNECTEDREADONLY)

/// ZooKeeper.States.isConnected.
constexpr bool isConnected(ClientState state) {
  return state == ClientState::CONNECTED || state == ClientState::CONNECTEDREADONLY;
}

enum class StateReason : std::uint8_t {
  asked,
  accepted,
  connection_lost,
  silence,
  expired,
  auth_failed,
  writable_found,  ///< a client of a read-only server leaves it for one that writes, too
};
BOOST_DESCRIBE_ENUM(StateReason, asked, accepted, connection_lost, silence, expired, auth_failed,
                    writable_found)

struct ClientStateChanged {
  static constexpr std::string_view name = "client_state";
  ClientState from{};
  ClientState to{};
  StateReason reason{};
  SessionId session = no_session;
  std::optional<ServerId> server;
  bool operator==(const ClientStateChanged&) const = default;
};
BOOST_DESCRIBE_STRUCT(ClientStateChanged, (), (from, to, reason, session, server))

/// A client asks by itself, for the recipe that it runs.
struct Requested {
  static constexpr std::string_view name = "requested";
  std::int64_t number = 0;
  Op op;
  bool operator==(const Requested&) const = default;
};
BOOST_DESCRIBE_STRUCT(Requested, (), (number, op))

/// A resource serves a client, or refuses it because somebody with a higher number was there.
struct Served {
  static constexpr std::string_view name = "served";
  ServerId client = no_server;
  std::int64_t token = 0;
  bool accepted = false;
  bool operator==(const Served&) const = default;
};
BOOST_DESCRIBE_STRUCT(Served, (), (client, token, accepted))

/// How a client's use of a resource ended; `accepted` is absent if that is not known.
struct Used {
  static constexpr std::string_view name = "used";
  std::int64_t token = 0;
  std::optional<bool> accepted;
  bool operator==(const Used&) const = default;
};
BOOST_DESCRIBE_STRUCT(Used, (), (token, accepted))

/// A client's request is answered. CONNECTIONLOSS and SESSIONEXPIRED come from the client itself: what became
/// of a write is then unknown.
struct Answered {
  static constexpr std::string_view name = "answered";
  SessionId session = no_session;
  std::int64_t number = 0;
  Op op;
  Zxid zxid;
  Result result;
  bool operator==(const Answered&) const = default;
};
BOOST_DESCRIBE_STRUCT(Answered, (), (session, number, op, zxid, result))

/// A client is notified of a change.
struct Watched {
  static constexpr std::string_view name = "watched";
  SessionId session = no_session;
  NodeEvent event;
  Zxid zxid;
  bool operator==(const Watched&) const = default;
};
BOOST_DESCRIBE_STRUCT(Watched, (), (session, event, zxid))

enum class RefusedBecause : std::uint8_t {
  not_serving,
  has_seen_more,
  too_large,
  wants_writes,       ///< the server is read-only, and the client does not allow this
  global_session,     ///< the server is read-only, and the session is not a local one
  no_local_sessions,  ///< the server is read-only, and new sessions are global ones
};
BOOST_DESCRIBE_ENUM(RefusedBecause, not_serving, has_seen_more, too_large, wants_writes, global_session,
                    no_local_sessions)

/// A server closes a client's connection without an answer.
struct ClientRefused {
  static constexpr std::string_view name = "client_refused";
  ServerId client = no_server;
  RefusedBecause reason{};
  Zxid seen;
  Zxid here;
  bool operator==(const ClientRefused&) const = default;
};
BOOST_DESCRIBE_STRUCT(ClientRefused, (), (client, reason, seen, here))

/// A server has accepted a client's session, or found that it is over.
struct SessionChecked {
  static constexpr std::string_view name = "session_checked";
  ServerId client = no_server;
  SessionId session = no_session;
  bool alive = false;
  bool local = false;  ///< no other server knows it
  bool operator==(const SessionChecked&) const = default;
};
BOOST_DESCRIBE_STRUCT(SessionChecked, (), (client, session, alive, local))

/// A local session becomes a global one.
struct SessionUpgraded {
  static constexpr std::string_view name = "session_upgraded";
  SessionId session = no_session;
  bool operator==(const SessionUpgraded&) const = default;
};
BOOST_DESCRIBE_STRUCT(SessionUpgraded, (), (session))

/// A server without a leader begins to answer reads, or ends this.
struct ReadOnlyChanged {
  static constexpr std::string_view name = "read_only";
  bool serves = false;
  bool operator==(const ReadOnlyChanged&) const = default;
};
BOOST_DESCRIBE_STRUCT(ReadOnlyChanged, (), (serves))

/// The leader, or the server of a local session, has not heard of it for its timeout, and closes it.
struct SessionExpired {
  static constexpr std::string_view name = "session_expired";
  SessionId session = no_session;
  bool operator==(const SessionExpired&) const = default;
};
BOOST_DESCRIBE_STRUCT(SessionExpired, (), (session))

/// The session belongs to a connection at another server: the write does nothing.
struct SessionMoved {
  static constexpr std::string_view name = "session_moved";
  SessionId session = no_session;
  ServerId owner = no_server;
  ServerId asked = no_server;
  bool operator==(const SessionMoved&) const = default;
};
BOOST_DESCRIBE_STRUCT(SessionMoved, (), (session, owner, asked))

/// A server has applied a transaction and sends these events to the clients that watch.
struct WatchesFired {
  static constexpr std::string_view name = "watches_fired";
  NodeEvent event;
  std::vector<ServerId> clients;
  bool operator==(const WatchesFired&) const = default;
};
BOOST_DESCRIBE_STRUCT(WatchesFired, (), (event, clients))

}  // namespace zablab::zookeeper
