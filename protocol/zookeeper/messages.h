// The messages between clients and servers, and those between servers that are about clients.
#pragma once

#include <boost/describe.hpp>
#include <map>
#include <string_view>
#include <vector>

#include "protocol/vocabulary.h"
#include "protocol/zookeeper/operation.h"
#include "protocol/zookeeper/prepare.h"
#include "protocol/zookeeper/types.h"

namespace zablab::zookeeper {

/// A client's first message on a connection (ConnectRequest).
struct ConnectRequest {
  static constexpr std::string_view name = "CONNECT";
  Zxid last_seen;
  Millis timeout = 0;               ///< that it asks for
  SessionId session = no_session;   ///< that it has; none: it wants one
  SessionId proposed = no_session;  ///< the id of the session that is made for it
  bool password = true;             ///< it knows the session's password
  bool read_only = false;           ///< it is content with a server that answers reads alone
  bool operator==(const ConnectRequest&) const = default;
};
BOOST_DESCRIBE_STRUCT(ConnectRequest, (), (last_seen, timeout, session, proposed, password, read_only))

/// Without a session: the one it has is over, or is not its own.
struct ConnectResponse {
  static constexpr std::string_view name = "CONNECTED";
  SessionId session = no_session;
  Millis timeout = 0;
  bool read_only = false;  ///< the server answers reads alone
  bool operator==(const ConnectResponse&) const = default;
};
BOOST_DESCRIBE_STRUCT(ConnectResponse, (), (session, timeout, read_only))

/// A client of a read-only server asks another one whether it writes, too (the command `isro`).
struct AskReadOnly {
  static constexpr std::string_view name = "ISRO";
  bool operator==(const AskReadOnly&) const = default;
};
BOOST_DESCRIBE_STRUCT(AskReadOnly, (), ())

struct ReadOnlyAnswer {
  static constexpr std::string_view name = "RO";
  bool read_only = false;
  bool operator==(const ReadOnlyAnswer&) const = default;
};
BOOST_DESCRIBE_STRUCT(ReadOnlyAnswer, (), (read_only))

struct ClientRequest {
  static constexpr std::string_view name = "CLIENT_REQUEST";
  Op op;
  std::int64_t number = 0;
  bool operator==(const ClientRequest&) const = default;
};
BOOST_DESCRIBE_STRUCT(ClientRequest, (), (op, number))

/// `zxid` is that of the write, or of the last transaction that the server had applied when it answered.
struct Reply {
  static constexpr std::string_view name = "REPLY";
  std::int64_t number = 0;
  Zxid zxid;
  Result result;
  bool operator==(const Reply&) const = default;
};
BOOST_DESCRIBE_STRUCT(Reply, (), (number, zxid, result))

/// What a client watches has changed. Not every release sends `zxid`, and no node reads it.
struct WatchEvent {
  static constexpr std::string_view name = "WATCH";
  NodeEvent event;
  Zxid zxid;
  bool operator==(const WatchEvent&) const = default;
};
BOOST_DESCRIBE_STRUCT(WatchEvent, (), (event, zxid))

/// A client's write, or its sync, on its way to the leader.
struct Forwarded {
  static constexpr std::string_view name = "REQUEST";
  SessionId session = no_session;
  std::int64_t number = 0;
  Op op;
  std::vector<Id> identities;
  Millis timeout = 0;
  bool operator==(const Forwarded&) const = default;
};
BOOST_DESCRIBE_STRUCT(Forwarded, (), (session, number, op, identities, timeout))

/// Everything that was proposed when the client asked to sync has been committed.
struct SyncDone {
  static constexpr std::string_view name = "SYNC";
  SessionId session = no_session;
  std::int64_t number = 0;
  bool operator==(const SyncDone&) const = default;
};
BOOST_DESCRIBE_STRUCT(SyncDone, (), (session, number))

/// A client came to the sender with this session: is it alive?
struct Revalidate {
  static constexpr std::string_view name = "REVALIDATE";
  ServerId client = no_server;
  SessionId session = no_session;
  Millis timeout = 0;
  bool operator==(const Revalidate&) const = default;
};
BOOST_DESCRIBE_STRUCT(Revalidate, (), (client, session, timeout))

struct Revalidated {
  static constexpr std::string_view name = "REVALIDATED";
  ServerId client = no_server;
  SessionId session = no_session;
  bool alive = false;
  bool operator==(const Revalidated&) const = default;
};
BOOST_DESCRIBE_STRUCT(Revalidated, (), (client, session, alive))

/// The sessions that a learner has heard from since its last answer to a ping, with their timeouts.
struct Touched {
  static constexpr std::string_view name = "TOUCHED";
  std::map<SessionId, Millis> sessions;
  bool operator==(const Touched&) const = default;
};
BOOST_DESCRIBE_STRUCT(Touched, (), (sessions))

/// A client uses a resource, which is another client's process, as the holder of a lock.
struct UseResource {
  static constexpr std::string_view name = "USE";
  std::int64_t token = 0;
  bool operator==(const UseResource&) const = default;
};
BOOST_DESCRIBE_STRUCT(UseResource, (), (token))

struct ResourceUsed {
  static constexpr std::string_view name = "USED";
  std::int64_t token = 0;
  bool accepted = false;
  bool operator==(const ResourceUsed&) const = default;
};
BOOST_DESCRIBE_STRUCT(ResourceUsed, (), (token, accepted))

inline constexpr Link client_link = 2;

}  // namespace zablab::zookeeper
