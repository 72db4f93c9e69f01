// The terms of an election on an external store: the kinds of nodes, the store's keys, and what is asked.
#pragma once

#include <boost/describe.hpp>
#include <compare>
#include <cstdint>
#include <optional>
#include <vector>

#include "protocol/vocabulary.h"

namespace zablab::external_store {

enum class NodeKind : std::uint8_t { candidate, store, resource, client };
BOOST_DESCRIBE_ENUM(NodeKind, candidate, store, resource, client)

enum class Role : std::uint8_t { LOOKING, FOLLOWING, LEADING };
BOOST_DESCRIBE_ENUM(Role, LOOKING, FOLLOWING, LEADING)

enum class Operation : std::uint8_t { write, resign, read, end };
BOOST_DESCRIBE_ENUM(Operation, write, resign, read, end)

/// What a client is instructed to do, or a candidate (`resign`). A client asks the leader to resign, and the
/// store who leads (`read`). A candidate whose process is stopped in order is instructed to `end`.
struct Request {
  Operation operation{};
  std::int64_t number = 0;
  ServerId store = no_server;  ///< a read: which of the store's servers it turns to first; any
  bool operator==(const Request&) const = default;
};
BOOST_DESCRIBE_STRUCT(Request, (), (operation, number, store))

enum class Outcome : std::uint8_t { ok, refused, unknown };
BOOST_DESCRIBE_ENUM(Outcome, ok, refused, unknown)

/// What keys are for; all keys of a kind have the same prefix.
enum class Prefix : std::uint8_t { leader, queue, member };
BOOST_DESCRIBE_ENUM(Prefix, leader, queue, member)

/// A key of the store. `id`: of `leader` 0, of `queue` a lease, of `member` a candidate.
struct Key {
  Prefix prefix{};
  std::int64_t id = 0;
  auto operator<=>(const Key&) const = default;
};
BOOST_DESCRIBE_STRUCT(Key, (), (prefix, id))

/// A key with its value, which is the candidate that has put it there.
struct KeyValue {
  Key key;
  ServerId value = no_server;
  std::int64_t create_revision = 0;
  std::int64_t mod_revision = 0;
  std::int64_t version = 0;
  std::int64_t lease = 0;
  bool operator==(const KeyValue&) const = default;
};
BOOST_DESCRIBE_STRUCT(KeyValue, (), (key, value, create_revision, mod_revision, version, lease))

enum class ChangeKind : std::uint8_t { put, deleted, expired };
BOOST_DESCRIBE_ENUM(ChangeKind, put, deleted, expired)

/// A change of a key, with the value that it has or had.
struct Change {
  std::int64_t revision = 0;
  ChangeKind kind{};
  KeyValue what;
  bool operator==(const Change&) const = default;
};
BOOST_DESCRIBE_STRUCT(Change, (), (revision, kind, what))

// ---- what the store is asked

/// A comparison with the revision at which a key was created; 0: there is no such key.
struct Compare {
  Key key;
  std::int64_t create_revision = 0;
  bool operator==(const Compare&) const = default;
};
BOOST_DESCRIBE_STRUCT(Compare, (), (key, create_revision))

enum class Does : std::uint8_t { put, erase, get, range };
BOOST_DESCRIBE_ENUM(Does, put, erase, get, range)

/// One operation of a transaction. `range` reads all keys with the key's prefix.
struct Operate {
  Does does{};
  Key key;
  ServerId value = no_server;
  std::int64_t lease = 0;
  bool operator==(const Operate&) const = default;
};
BOOST_DESCRIBE_STRUCT(Operate, (), (does, key, value, lease))

/// If all comparisons hold, the first list is done, otherwise the second.
struct Txn {
  std::vector<Compare> compares;
  std::vector<Operate> then;
  std::vector<Operate> otherwise;
  bool operator==(const Txn&) const = default;
};
BOOST_DESCRIBE_STRUCT(Txn, (), (compares, then, otherwise))

/// The key of a store's timers: the lease that it measures, the other server, or the request; of a client's
/// limit, what it is for. Other timers have none.
struct TimerKey {
  std::int64_t id = 0;
  auto operator<=>(const TimerKey&) const = default;
};
BOOST_DESCRIBE_STRUCT(TimerKey, (), (id))

}  // namespace zablab::external_store
