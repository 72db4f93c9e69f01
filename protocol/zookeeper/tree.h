// The tree of nodes and the sessions: what the transactions lead to (DataTree). Every server has the same
// after the same transactions.
#pragma once

#include <boost/describe.hpp>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "protocol/vocabulary.h"
#include "protocol/zookeeper/hash_order.h"
#include "protocol/zookeeper/operation.h"
#include "protocol/zookeeper/types.h"

namespace zablab::zookeeper {

struct ZNode {
  std::optional<std::string> data;
  std::vector<Acl> acl = openAcl();
  Zxid czxid;
  Zxid mzxid;
  Zxid pzxid;
  Millis ctime = 0;
  Millis mtime = 0;
  std::int32_t version = 0;
  std::int32_t creates = 0;  ///< children ever created: the next sequential number
  std::int32_t aversion = 0;
  NodeKind kind{};
  SessionId owner = no_session;  ///< of an ephemeral node
  Millis ttl = 0;
  HashSet children = {{}, 8};
  bool operator==(const ZNode&) const = default;

  Stat stat() const;
};
BOOST_DESCRIBE_STRUCT(ZNode, (),
                      (data, acl, czxid, mzxid, pzxid, ctime, mtime, version, creates, aversion, kind, owner,
                       ttl, children))

struct Session {
  Millis timeout = 0;
  HashSet ephemerals;
  bool operator==(const Session&) const = default;
};
BOOST_DESCRIBE_STRUCT(Session, (), (timeout, ephemerals))

enum class ChangeKind : std::uint8_t { create, remove, set_data, set_acl, check, error };
BOOST_DESCRIBE_ENUM(ChangeKind, create, remove, set_data, set_acl, check, error)

/// A create whose transaction does not say what the parent's counter is afterwards: one more than before, if
/// it creates anything.
inline constexpr std::int32_t uncounted = -1;

/// One change of the tree, as the leader has decided it; or why there is none.
struct Change {
  ChangeKind kind{};
  OpCode of{};  ///< the operation that it answers
  std::string path = {};
  std::optional<std::string> data = std::nullopt;
  std::vector<Acl> acl = {};
  NodeKind node_kind{};
  Millis ttl = 0;
  std::int32_t creates = uncounted;  ///< of a create: the parent's counter afterwards
  std::int32_t version = 0;          ///< afterwards
  Error error{};
  bool operator==(const Change&) const = default;
};
BOOST_DESCRIBE_STRUCT(Change, (), (kind, of, path, data, acl, node_kind, ttl, creates, version, error))

enum class TxnKind : std::uint8_t { single, multi, create_session, close_session };
BOOST_DESCRIBE_ENUM(TxnKind, single, multi, create_session, close_session)

/// What is logged and replicated. `session` and `number` identify the request that it answers.
struct Payload {
  TxnKind kind{};
  SessionId session = no_session;
  std::int64_t number = 0;
  Millis time = 0;                   ///< by the clock of the leader that proposed it
  Millis timeout = 0;                ///< of create_session
  std::vector<Change> changes = {};  ///< of close_session: the ephemeral nodes that are deleted
  bool operator==(const Payload&) const = default;
};
BOOST_DESCRIBE_STRUCT(Payload, (), (kind, session, number, time, timeout, changes))

/// What watches may see, and the list of who may read that node; none if everybody may.
struct Visible {
  NodeEvent event;
  std::vector<Acl> readers;
};

/// What a transaction has to report: the results of its changes in order, and what watches may see.
struct Applied {
  std::vector<SubResult> results;
  std::vector<Visible> events;
};

using Nodes = std::map<std::string, ZNode, std::less<>>;

struct Tree {
  Nodes nodes = initialNodes();
  std::map<SessionId, Session> sessions;
  bool operator==(const Tree&) const = default;

  /// Null if there is none. The empty path is the root.
  const ZNode* find(std::string_view path) const;
  ZNode* find(std::string_view path);
  /// Makes the changes. A change that was made before is not made again (DataTree.processTxn is idempotent).
  Applied apply(Zxid zxid, const Payload& payload);

  /// The root, and ZooKeeper's own nodes below it.
  static Nodes initialNodes();
};
BOOST_DESCRIBE_STRUCT(Tree, (), (nodes, sessions))

}  // namespace zablab::zookeeper
