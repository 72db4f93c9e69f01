// ZooKeeper's terms as its clients know them: nodes and their Stat, access control lists, error codes.
#pragma once

#include <boost/describe.hpp>
#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "protocol/zab/types.h"

namespace zablab::zookeeper {

using zab::Zxid;

/// Identifies a session for as long as the ensemble exists; 0: none.
using SessionId = std::int64_t;
inline constexpr SessionId no_session = 0;
/// A client's sessions have its id, then its id and this, and so on. (Real servers make ids from their
/// clocks.)
inline constexpr SessionId session_ids_apart = 1'000'000;
/// The id of a session that begins as a local one tells at which server: this is added as often as the
/// server's place in the list of members says, from 1. (Real servers put their id into the first byte.)
inline constexpr SessionId local_ids_apart = 1'000'000'000'000;

/// KeeperException.Code, with its names. `code` gives the numbers of the wire.
enum class Error : std::uint8_t {
  OK,
  RUNTIMEINCONSISTENCY,
  MARSHALLINGERROR,
  UNIMPLEMENTED,
  BADARGUMENTS,
  NONODE,
  NOAUTH,
  BADVERSION,
  NOCHILDRENFOREPHEMERALS,
  NODEEXISTS,
  NOTEMPTY,
  SESSIONEXPIRED,
  INVALIDACL,
  AUTHFAILED,
  SESSIONMOVED,
  NOTREADONLY,
  EPHEMERALONLOCALSESSION,
  NOWATCHER,
  QUOTAEXCEEDED,
  CONNECTIONLOSS,
};
BOOST_DESCRIBE_ENUM(Error, OK, RUNTIMEINCONSISTENCY, MARSHALLINGERROR, UNIMPLEMENTED, BADARGUMENTS, NONODE,
                    NOAUTH, BADVERSION, NOCHILDRENFOREPHEMERALS, NODEEXISTS, NOTEMPTY, SESSIONEXPIRED,
                    INVALIDACL, AUTHFAILED, SESSIONMOVED, NOTREADONLY, EPHEMERALONLOCALSESSION, NOWATCHER,
                    QUOTAEXCEEDED, CONNECTIONLOSS)

/// Its number on the wire.
constexpr std::int32_t code(Error error) {
  switch (error) {
    case Error::OK: return 0;
    case Error::RUNTIMEINCONSISTENCY: return -2;
    case Error::CONNECTIONLOSS: return -4;
    case Error::MARSHALLINGERROR: return -5;
    case Error::UNIMPLEMENTED: return -6;
    case Error::BADARGUMENTS: return -8;
    case Error::NONODE: return -101;
    case Error::NOAUTH: return -102;
    case Error::BADVERSION: return -103;
    case Error::NOCHILDRENFOREPHEMERALS: return -108;
    case Error::NODEEXISTS: return -110;
    case Error::NOTEMPTY: return -111;
    case Error::SESSIONEXPIRED: return -112;
    case Error::INVALIDACL: return -114;
    case Error::AUTHFAILED: return -115;
    case Error::SESSIONMOVED: return -118;
    case Error::NOTREADONLY: return -119;
    case Error::EPHEMERALONLOCALSESSION: return -120;
    case Error::NOWATCHER: return -121;
    case Error::QUOTAEXCEEDED: return -125;
  }
  return 0;
}

/// Permissions of an access control list, as bits (ZooDefs.Perms).
namespace perms {
inline constexpr std::int32_t read = 1;
inline constexpr std::int32_t write = 2;
inline constexpr std::int32_t create = 4;
inline constexpr std::int32_t remove = 8;
inline constexpr std::int32_t admin = 16;
inline constexpr std::int32_t all = 31;
}  // namespace perms

/// An identity: of a client, or in an access control list.
struct Id {
  std::string scheme;
  std::string id;
  auto operator<=>(const Id&) const = default;
};
BOOST_DESCRIBE_STRUCT(Id, (), (scheme, id))

struct Acl {
  std::int32_t perms = perms::all;
  std::string scheme = "world";
  std::string id = "anyone";
  auto operator<=>(const Acl&) const = default;
};
BOOST_DESCRIBE_STRUCT(Acl, (), (perms, scheme, id))

/// ZooDefs.Ids.OPEN_ACL_UNSAFE.
inline std::vector<Acl> openAcl() { return {Acl{}}; }

/// What kind of node it is. The sequential kinds differ in their names alone.
enum class NodeKind : std::uint8_t { persistent, ephemeral, container, ttl };
BOOST_DESCRIBE_ENUM(NodeKind, persistent, ephemeral, container, ttl)

/// CreateMode, by the flags of the wire.
struct CreateMode {
  NodeKind kind{};
  bool sequential = false;
};
/// Empty: there is no such mode.
std::optional<CreateMode> createMode(std::int32_t flags);

/// A node's Stat as clients get it.
struct Stat {
  Zxid czxid;
  Zxid mzxid;
  Zxid pzxid;
  Millis ctime = 0;  ///< of its creation, by the clock of the leader that proposed it
  Millis mtime = 0;  ///< of the last change of its data, likewise
  std::int32_t version = 0;
  std::int32_t cversion = 0;  ///< creations and deletions of children
  std::int32_t aversion = 0;
  SessionId ephemeral_owner = no_session;
  std::int64_t data_length = 0;
  std::int64_t num_children = 0;
  bool operator==(const Stat&) const = default;
};
BOOST_DESCRIBE_STRUCT(Stat, (),
                      (czxid, mzxid, pzxid, ctime, mtime, version, cversion, aversion, ephemeral_owner,
                       data_length, num_children))

/// Watcher.Event.EventType.
enum class EventType : std::uint8_t { NodeCreated, NodeDeleted, NodeDataChanged, NodeChildrenChanged };
BOOST_DESCRIBE_ENUM(EventType, NodeCreated, NodeDeleted, NodeDataChanged, NodeChildrenChanged)

/// A change as watches see it.
struct NodeEvent {
  EventType type{};
  std::string path;
  bool operator==(const NodeEvent&) const = default;
};
BOOST_DESCRIBE_STRUCT(NodeEvent, (), (type, path))

}  // namespace zablab::zookeeper
