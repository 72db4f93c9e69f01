// What nodes say to each other, and what is on their disks.
#pragma once

#include <boost/describe.hpp>
#include <boost/mp11.hpp>
#include <cstdint>
#include <string_view>
#include <vector>

#include "protocol/external_store/store_log.h"
#include "protocol/variant.h"

namespace zablab::external_store {

// ---- on the link `store`

struct TxnRequest {
  static constexpr std::string_view name = "TXN";
  Txn txn;
  bool local = false;  ///< it only reads: what the server that is asked has executed is enough
  bool operator==(const TxnRequest&) const = default;
};
BOOST_DESCRIBE_STRUCT(TxnRequest, (), (txn, local))

struct TxnReply {
  static constexpr std::string_view name = "TXN_REPLY";
  bool succeeded = false;
  bool lease_lost = false;
  std::int64_t revision = 0;
  std::vector<KeyValue> found;
  bool operator==(const TxnReply&) const = default;
};
BOOST_DESCRIBE_STRUCT(TxnReply, (), (succeeded, lease_lost, revision, found))

struct LeaseGrant {
  static constexpr std::string_view name = "LEASE_GRANT";
  Millis ttl_ms = 0;
  bool operator==(const LeaseGrant&) const = default;
};
BOOST_DESCRIBE_STRUCT(LeaseGrant, (), (ttl_ms))

struct LeaseGranted {
  static constexpr std::string_view name = "LEASE_GRANTED";
  std::int64_t lease = 0;
  Millis ttl_ms = 0;  ///< which may be more than was asked for
  bool operator==(const LeaseGranted&) const = default;
};
BOOST_DESCRIBE_STRUCT(LeaseGranted, (), (lease, ttl_ms))

/// Its owner needs the lease no longer: the store ends it. Nobody waits for an answer.
struct LeaseRevoke {
  static constexpr std::string_view name = "LEASE_REVOKE";
  std::int64_t lease = 0;
  bool operator==(const LeaseRevoke&) const = default;
};
BOOST_DESCRIBE_STRUCT(LeaseRevoke, (), (lease))

struct KeepAlive {
  static constexpr std::string_view name = "KEEPALIVE";
  std::int64_t lease = 0;
  bool operator==(const KeepAlive&) const = default;
};
BOOST_DESCRIBE_STRUCT(KeepAlive, (), (lease))

struct KeptAlive {
  static constexpr std::string_view name = "KEPT_ALIVE";
  std::int64_t lease = 0;
  bool found = false;
  bool operator==(const KeptAlive&) const = default;
};
BOOST_DESCRIBE_STRUCT(KeptAlive, (), (lease, found))

/// Changes of a key, or of all keys with its prefix, from this revision on; 0: from now on. One key is
/// watched until it is deleted. A watch replaces an earlier one of the same prefix.
struct Watch {
  static constexpr std::string_view name = "WATCH";
  Key key;
  bool prefix = false;
  std::int64_t from = 0;
  bool operator==(const Watch&) const = default;
};
BOOST_DESCRIBE_STRUCT(Watch, (), (key, prefix, from))

struct Changes {
  static constexpr std::string_view name = "CHANGES";
  std::vector<Change> changes;
  bool operator==(const Changes&) const = default;
};
BOOST_DESCRIBE_STRUCT(Changes, (), (changes))

// ---- on the link `resource`

/// `token`: the revision at which the writer's key was created. `client`, `number`: the request.
struct Store {
  static constexpr std::string_view name = "WRITE";
  std::int64_t token = 0;
  ServerId client = no_server;
  std::int64_t number = 0;
  bool operator==(const Store&) const = default;
};
BOOST_DESCRIBE_STRUCT(Store, (), (token, client, number))

struct StoreReply {
  static constexpr std::string_view name = "WRITE_REPLY";
  ServerId client = no_server;
  std::int64_t number = 0;
  bool accepted = false;
  bool operator==(const StoreReply&) const = default;
};
BOOST_DESCRIBE_STRUCT(StoreReply, (), (client, number, accepted))

// ---- on the link `client`

/// A client asks the leader to write, or to resign.
struct Ask {
  static constexpr std::string_view name = "REQUEST";
  std::int64_t number = 0;
  Operation operation{};
  bool operator==(const Ask&) const = default;
};
BOOST_DESCRIBE_STRUCT(Ask, (), (number, operation))

struct Answer {
  static constexpr std::string_view name = "ANSWER";
  std::int64_t number = 0;
  Outcome outcome{};
  bool operator==(const Answer&) const = default;
};
BOOST_DESCRIBE_STRUCT(Answer, (), (number, outcome))

// ---- on the link `peer`, besides what belongs to the log

/// A renewal, forwarded to the leader. `number`: of the request at the sender.
struct Renew {
  static constexpr std::string_view name = "RENEW";
  std::int64_t number = 0;
  std::int64_t lease = 0;
  bool operator==(const Renew&) const = default;
};
BOOST_DESCRIBE_STRUCT(Renew, (), (number, lease))

/// `leads`: the server that was asked is the leader, and can tell whether the lease was found.
struct Renewed {
  static constexpr std::string_view name = "RENEWED";
  std::int64_t number = 0;
  std::int64_t lease = 0;
  bool leads = false;
  bool found = false;
  bool operator==(const Renewed&) const = default;
};
BOOST_DESCRIBE_STRUCT(Renewed, (), (number, lease, leads, found))

using Message =
    boost::mp11::mp_append<variant<TxnRequest, TxnReply, LeaseGrant, LeaseGranted, LeaseRevoke, KeepAlive,
                                   KeptAlive, Watch, Changes, Store, StoreReply, Ask, Answer, Renew, Renewed>,
                           leader_followers::BasicServerMessage<StoreLog>>;

// ---- disks

/// The store's log.
struct Apply {
  static constexpr std::string_view name = "apply";
  Command command;
  bool operator==(const Apply&) const = default;
};
BOOST_DESCRIBE_STRUCT(Apply, (), (command))

/// The resource takes a write.
struct Accept {
  static constexpr std::string_view name = "accept";
  std::int64_t newest = 0;  ///< the greatest token so far
  ServerId client = no_server;
  std::int64_t number = 0;
  bool operator==(const Accept&) const = default;
};
BOOST_DESCRIBE_STRUCT(Accept, (), (newest, client, number))

/// A server of a replicated store starts, for the n-th time.
struct CountStart {
  static constexpr std::string_view name = "start";
  std::int64_t starts = 0;
  bool operator==(const CountStart&) const = default;
};
BOOST_DESCRIBE_STRUCT(CountStart, (), (starts))

using Record =
    boost::mp11::mp_append<variant<Apply, Accept, CountStart>, leader_followers::BasicRecord<StoreLog>>;

/// What is protected: the last write, and the greatest token of any.
struct Resource {
  std::int64_t newest = 0;
  ServerId client = no_server;
  std::int64_t number = 0;
  bool operator==(const Resource&) const = default;
};
BOOST_DESCRIBE_STRUCT(Resource, (), (newest, client, number))

struct Durable {
  StoreState store;
  Resource resource;
  // ---- of a server of a replicated store
  std::int64_t starts = 0;
  leader_followers::BasicDurable<StoreLog> log;
  bool operator==(const Durable&) const = default;
};
BOOST_DESCRIBE_STRUCT(Durable, (), (store, resource, starts, log))

enum class TimerKind : std::uint8_t {
  lease,        ///< the store, or its leader: the lease is over
  lease_check,  ///< it ends those that are over
  // ---- of a candidate
  keepalive,   ///< its lease is to be renewed
  deadline,    ///< it can no longer be sure of its lease
  store_dial,  ///< it connects to the store again
  resource_dial,
  again,  ///< it stands for election again after it has resigned
  work,   ///< what clients have asked for is ready to be written
  // ---- of a client
  client_retry,
  answer_limit,
  // ---- of a server of a replicated store; all but the last are those of its log
  election,
  heartbeat,
  silent,
  led_over,
  request,  ///< a request took too long
};
BOOST_DESCRIBE_ENUM(TimerKind, lease, lease_check, keepalive, deadline, store_dial, resource_dial, again,
                    work, client_retry, answer_limit, election, heartbeat, silent, led_over, request)

/// Two instants that a candidate remembers: when it sent its last request for its lease that was answered,
/// and when it sent the one that is not. They take turns. And when a store's process started.
enum class MarkKey : std::uint8_t { first, second, started };
BOOST_DESCRIBE_ENUM(MarkKey, first, second, started)

}  // namespace zablab::external_store
