// What ZooKeeper's service does, told apart from the servers' code: nodes with their versions and rights,
// sessions, quotas, and what each request becomes and is answered. It is written from the Programmer's Guide,
// the Administrator's Guide and recordings of real servers (docs/conformance.md), and shares no function with
// protocol/zookeeper, whose servers are judged by it; `zablab conform client` compares both with the
// recordings. Only the forms of requests, transactions and answers are the same.
//
// Everything is derived from one sorted map of paths: a node's children are the paths one level below it, and
// a session's ephemeral nodes those that it owns. The order in which a server lists either is not modelled.
#pragma once

#include <boost/describe.hpp>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "protocol/zookeeper/operation.h"
#include "protocol/zookeeper/rules.h"
#include "protocol/zookeeper/tree.h"

namespace zablab::zookeeper::model {

struct Znode {
  std::optional<std::string> data;
  std::vector<Acl> acl;
  Zxid created;
  Zxid changed;   ///< its data
  Zxid relisted;  ///< its list of children
  Millis created_at = 0;
  Millis changed_at = 0;
  std::int32_t version = 0;
  std::int32_t acl_version = 0;
  std::int32_t creations = 0;  ///< of children, ever
  NodeKind kind{};
  SessionId owner = no_session;
  Millis ttl = 0;
  bool operator==(const Znode&) const = default;
};
BOOST_DESCRIBE_STRUCT(Znode, (),
                      (data, acl, created, changed, relisted, created_at, changed_at, version, acl_version,
                       creations, kind, owner, ttl))

/// Of an ensemble, after some history.
struct State {
  std::map<std::string, Znode, std::less<>> nodes;
  std::map<SessionId, Millis> sessions;  ///< that transactions have begun and not ended, with their timeouts
  bool operator==(const State&) const = default;
};
BOOST_DESCRIBE_STRUCT(State, (), (nodes, sessions))

/// The root, and below it `/zookeeper` with the configuration and the place of quotas.
State initialState();

/// Null if there is none. The empty path is the root, too.
const Znode* nodeAt(const State& state, std::string_view path);
std::vector<std::string> childrenOf(const State& state, std::string_view path);  ///< names, sorted
std::vector<std::string> ephemeralsOf(const State& state, SessionId session);    ///< paths, sorted
Stat statOf(const State& state, std::string_view path);

// ---- transactions

/// A change as watches see it, and the list of who may read that node.
struct Seen {
  NodeEvent event;
  std::vector<Acl> readers;
};
struct Effects {
  std::vector<SubResult> results;  ///< of its changes, in order
  std::vector<Seen> events;        ///< in the order in which watches fire
};

/// Makes the changes of a transaction.
Effects apply(State& state, Zxid zxid, const Payload& payload);

/// A client's request, with the identities that it has proved.
struct Asked {
  SessionId session = no_session;
  const Op& op;
  const std::vector<Id>& identities;
};

/// What a write has to become in this state, under the rules for which servers are configured; whether a
/// quota forbids it is asked apart (`quotaAt`). Of each change `of`, `kind`, and what this kind needs;
/// `creates` of a create: its parent's count afterwards.
struct Demand {
  TxnKind kind{};
  std::vector<Change> changes;  ///< of closeSession: sorted by path
};
Demand demandedBy(const Rules& rules, const State& state, const Asked& asked);

/// The hard limits of a quota, -1: none, and what there is.
struct Quota {
  std::int64_t nodes_max = -1;
  std::int64_t bytes_max = -1;
  std::int64_t nodes = 0;
  std::int64_t bytes = 0;
  bool operator==(const Quota&) const = default;
};
/// That counts what happens at this path: of the longest one at or above it that has limits. Empty: there is
/// none.
std::optional<Quota> quotaAt(const State& state, std::string_view path);
/// Whether a hard limit would be exceeded by so many bytes and nodes more.
bool isExceeded(const std::optional<Quota>& quota, std::int64_t bytes, std::int64_t nodes);

/// What the client is answered whose write became this transaction; `effects`: what it had.
Result answerTo(const Op& op, const Payload& payload, const Effects& effects);

// ---- reads

/// The answer to a request that changes nothing, in this state. Those about watches are not judged here.
Result answerTo(const Rules& rules, const State& state, const Asked& asked);

/// Whether they say the same, in whatever order names and identities are listed.
bool saySame(Result a, Result b);

// ---- requests and rights

/// Whether the flags of a create are those of a sequential node.
bool isSequential(std::int32_t flags);
/// Of the request on the wire.
std::int64_t bytesOf(const Op& op);
/// Whether it becomes a transaction.
bool changesState(OpCode code);
/// Whether a node may have this path.
bool isPath(std::string_view path);
/// The path above; of a child of the root "/".
std::string_view above(std::string_view path);
std::string_view lastName(std::string_view path);
/// What the paths below this one begin with.
std::string below(std::string_view path);
/// Whether a client of these identities is granted one of the rights (bits of `perms`).
bool grants(const std::vector<Acl>& acl, std::int32_t rights, const std::vector<Id>& identities);
/// The identity that credentials prove; empty if their scheme proves none.
std::optional<Id> proved(const Id& credentials);

}  // namespace zablab::zookeeper::model
