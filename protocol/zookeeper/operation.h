// What clients ask, and what they are answered.
#pragma once

#include <boost/describe.hpp>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "protocol/zookeeper/types.h"

namespace zablab::zookeeper {

/// ZooDefs.OpCode, with its names; `remove` is delete, `undecodable` a write whose body cannot be read.
enum class OpCode : std::uint8_t {
  create,
  create2,
  createContainer,
  createTTL,
  remove,
  deleteContainer,
  setData,
  setACL,
  check,
  multi,
  undecodable,
  createSession,
  closeSession,
  exists,
  getData,
  getChildren,
  getChildren2,
  getAllChildrenNumber,
  getEphemerals,
  getACL,
  multiRead,
  addWatch,
  checkWatches,
  removeWatches,
  setWatches,
  whoAmI,
  sync,
  ping,
  auth,
};
BOOST_DESCRIBE_ENUM(OpCode, create, create2, createContainer, createTTL, remove, deleteContainer, setData,
                    setACL, check, multi, undecodable, createSession, closeSession, exists, getData,
                    getChildren, getChildren2, getAllChildrenNumber, getEphemerals, getACL, multiRead,
                    addWatch, checkWatches, removeWatches, setWatches, whoAmI, sync, ping, auth)

/// Whether it goes through the leader and takes a zxid.
constexpr bool isWrite(OpCode code) { return code <= OpCode::closeSession; }
/// ZooKeeper's name of it.
std::string_view nameOf(OpCode code);

/// One operation, alone or in a multi; each kind uses the fields that it needs.
struct SubOp {
  OpCode code{};
  std::string path = {};
  std::optional<std::string> data = std::nullopt;  ///< bytes, or null
  std::int32_t version = -1;                       ///< expected; -1: any
  std::int32_t flags = 0;                          ///< of a create: its CreateMode on the wire
  std::vector<Acl> acl = {};
  std::int64_t ttl = 0;  ///< virtual milliseconds
  bool operator==(const SubOp&) const = default;
};
BOOST_DESCRIBE_STRUCT(SubOp, (), (code, path, data, version, flags, acl, ttl))

/// The watches that a client registers again after it has connected (setWatches2).
struct WatchLists {
  Zxid seen;  ///< what changed after it is reported at once
  std::vector<std::string> data;
  std::vector<std::string> exist;
  std::vector<std::string> child;
  std::vector<std::string> persistent;
  std::vector<std::string> recursive;
  bool operator==(const WatchLists&) const = default;
};
BOOST_DESCRIBE_STRUCT(WatchLists, (), (seen, data, exist, child, persistent, recursive))

struct Op : SubOp {
  bool watch = false;     ///< of a read
  std::int32_t kind = 0;  ///< addWatch: 0 persistent, 1 recursive; remove, check: 1 child, 2 data, 3 any
  std::vector<SubOp> ops = {};                       ///< of a multi
  std::optional<WatchLists> watches = std::nullopt;  ///< of setWatches
  Id credentials = {};                               ///< of auth: "digest" and "user:password"
  bool operator==(const Op&) const = default;
};
BOOST_DESCRIBE_STRUCT(Op, (SubOp), (watch, kind, ops, watches, credentials))

/// What one operation returns; `code` says which fields have a meaning.
struct SubResult {
  OpCode code{};
  Error error{};
  std::optional<std::string> path = std::nullopt;
  std::optional<Stat> stat = std::nullopt;
  std::optional<std::string> data = std::nullopt;
  std::vector<std::string> children = {};  ///< in the server's order; of getEphemerals the paths
  bool operator==(const SubResult&) const = default;
};
BOOST_DESCRIBE_STRUCT(SubResult, (), (code, error, path, stat, data, children))

struct Result : SubResult {
  std::vector<SubResult> results = {};  ///< of a multi
  std::vector<Acl> acl = {};
  std::vector<Id> identities = {};  ///< of whoAmI
  std::int64_t number = 0;          ///< of getAllChildrenNumber
  bool operator==(const Result&) const = default;
};
BOOST_DESCRIBE_STRUCT(Result, (SubResult), (results, acl, identities, number))

}  // namespace zablab::zookeeper
