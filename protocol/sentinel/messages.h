// The messages between sentinels, Redis servers and clients, and what is written to a disk.
#pragma once

#include <boost/describe.hpp>
#include <optional>
#include <string_view>
#include <vector>

#include "protocol/sentinel/types.h"
#include "protocol/variant.h"

namespace zablab::sentinel {

inline constexpr Link sentinel_link = 0;  ///< a sentinel's connections to Redis servers and other sentinels
inline constexpr Link hello_link = 1;     ///< what is published: it arrives once at most
inline constexpr Link replication_link = 2;  ///< a replica's connection to its master
inline constexpr Link client_link = 3;

// ---- of sentinels

struct Ping {
  static constexpr std::string_view name = "PING";
  bool operator==(const Ping&) const = default;
};
BOOST_DESCRIBE_STRUCT(Ping, (), ())

struct Pong {
  static constexpr std::string_view name = "PONG";
  bool operator==(const Pong&) const = default;
};
BOOST_DESCRIBE_STRUCT(Pong, (), ())

struct Info {
  static constexpr std::string_view name = "INFO";
  bool operator==(const Info&) const = default;
};
BOOST_DESCRIBE_STRUCT(Info, (), ())

/// `master`: that a replica is configured to copy; `link_up`: it has the master's data.
struct InfoReply {
  static constexpr std::string_view name = "INFO_REPLY";
  RedisRole role{};
  ServerId master = no_server;
  bool link_up = false;
  std::int64_t offset = 0;
  std::int64_t priority = 0;
  bool operator==(const InfoReply&) const = default;
};
BOOST_DESCRIBE_STRUCT(InfoReply, (), (role, master, link_up, offset, priority))

/// A sentinel's configuration, published through every Redis server and sent to every sentinel.
struct Hello {
  static constexpr std::string_view name = "HELLO";
  ServerId sentinel = no_server;
  std::int64_t current_epoch = 0;
  std::int64_t config_epoch = 0;
  ServerId master = no_server;
  bool operator==(const Hello&) const = default;
};
BOOST_DESCRIBE_STRUCT(Hello, (), (sentinel, current_epoch, config_epoch, master))

/// is-master-down-by-addr. With a candidate it is also a request for a vote.
struct IsMasterDown {
  static constexpr std::string_view name = "IS_MASTER_DOWN";
  ServerId master = no_server;
  std::int64_t epoch = 0;
  std::optional<ServerId> candidate;
  bool operator==(const IsMasterDown&) const = default;
};
BOOST_DESCRIBE_STRUCT(IsMasterDown, (), (master, epoch, candidate))

/// `vote`: what the answering sentinel has voted, perhaps for another candidate. `master`: about which it was
/// asked; Redis does not say it.
struct IsMasterDownReply {
  static constexpr std::string_view name = "IS_MASTER_DOWN_REPLY";
  ServerId master = no_server;
  bool down = false;
  Vote vote;
  bool operator==(const IsMasterDownReply&) const = default;
};
BOOST_DESCRIBE_STRUCT(IsMasterDownReply, (), (master, down, vote))

/// Without a master: REPLICAOF NO ONE.
struct ReplicaOf {
  static constexpr std::string_view name = "REPLICAOF";
  std::optional<ServerId> master;
  bool operator==(const ReplicaOf&) const = default;
};
BOOST_DESCRIBE_STRUCT(ReplicaOf, (), (master))

// ---- of replication

struct Psync {
  static constexpr std::string_view name = "PSYNC";
  bool operator==(const Psync&) const = default;
};
BOOST_DESCRIBE_STRUCT(Psync, (), ())

struct FullSync {
  static constexpr std::string_view name = "FULL_SYNC";
  Data data;
  bool operator==(const FullSync&) const = default;
};
BOOST_DESCRIBE_STRUCT(FullSync, (), (data))

struct Replicate {
  static constexpr std::string_view name = "REPLICATE";
  Entry entry;
  bool operator==(const Replicate&) const = default;
};
BOOST_DESCRIBE_STRUCT(Replicate, (), (entry))

/// REPLCONF ACK: a replica is there.
struct ReplicaAck {
  static constexpr std::string_view name = "REPLICA_ACK";
  std::int64_t offset = 0;
  bool operator==(const ReplicaAck&) const = default;
};
BOOST_DESCRIBE_STRUCT(ReplicaAck, (), (offset))

// ---- of clients

struct GetMaster {
  static constexpr std::string_view name = "GET_MASTER";
  bool operator==(const GetMaster&) const = default;
};
BOOST_DESCRIBE_STRUCT(GetMaster, (), ())

struct MasterIs {
  static constexpr std::string_view name = "MASTER_IS";
  ServerId master = no_server;
  bool operator==(const MasterIs&) const = default;
};
BOOST_DESCRIBE_STRUCT(MasterIs, (), (master))

struct WriteRequest {
  static constexpr std::string_view name = "WRITE";
  std::int64_t number = 0;
  bool operator==(const WriteRequest&) const = default;
};
BOOST_DESCRIBE_STRUCT(WriteRequest, (), (number))

enum class WriteResult : std::uint8_t { ok, read_only, no_replicas };
BOOST_DESCRIBE_ENUM(WriteResult, ok, read_only, no_replicas)

/// `offset`: the server's, with this write.
struct WriteReply {
  static constexpr std::string_view name = "WRITE_REPLY";
  std::int64_t number = 0;
  WriteResult result{};
  std::int64_t offset = 0;
  bool operator==(const WriteReply&) const = default;
};
BOOST_DESCRIBE_STRUCT(WriteReply, (), (number, result, offset))

struct ReadRequest {
  static constexpr std::string_view name = "READ";
  std::int64_t number = 0;
  bool operator==(const ReadRequest&) const = default;
};
BOOST_DESCRIBE_STRUCT(ReadRequest, (), (number))

/// `value`: the last write that the server has; 0: none. `offset`: the server's. `master`: it is one, as a
/// client finds out by ROLE.
struct ReadReply {
  static constexpr std::string_view name = "READ_REPLY";
  std::int64_t number = 0;
  std::int64_t value = 0;
  std::int64_t offset = 0;
  bool master = false;
  bool operator==(const ReadReply&) const = default;
};
BOOST_DESCRIBE_STRUCT(ReadReply, (), (number, value, offset, master))

using Message =
    variant<Ping, Pong, Info, InfoReply, Hello, IsMasterDown, IsMasterDownReply, ReplicaOf, Psync, FullSync,
            Replicate, ReplicaAck, GetMaster, MasterIs, WriteRequest, WriteReply, ReadRequest, ReadReply>;

// ---- the disk

/// A sentinel's configuration file, in parts.
struct SaveEpoch {
  static constexpr std::string_view name = "current_epoch";
  std::int64_t epoch = 0;
  bool operator==(const SaveEpoch&) const = default;
};
BOOST_DESCRIBE_STRUCT(SaveEpoch, (), (epoch))

/// The epoch of its last vote; for whom it voted is not in the file.
struct SaveVote {
  static constexpr std::string_view name = "leader_epoch";
  std::int64_t epoch = 0;
  bool operator==(const SaveVote&) const = default;
};
BOOST_DESCRIBE_STRUCT(SaveVote, (), (epoch))

struct SaveConfig {
  static constexpr std::string_view name = "config_epoch";
  std::int64_t epoch = 0;
  ServerId master = no_server;
  bool operator==(const SaveConfig&) const = default;
};
BOOST_DESCRIBE_STRUCT(SaveConfig, (), (epoch, master))

struct SaveKnown {
  static constexpr std::string_view name = "known_sentinel";
  ServerId sentinel = no_server;
  bool operator==(const SaveKnown&) const = default;
};
BOOST_DESCRIBE_STRUCT(SaveKnown, (), (sentinel))

/// A Redis server's configuration file: the master that it copies, or itself.
struct SaveMaster {
  static constexpr std::string_view name = "replicaof";
  ServerId master = no_server;
  bool operator==(const SaveMaster&) const = default;
};
BOOST_DESCRIBE_STRUCT(SaveMaster, (), (master))

/// One more write at the end of its append-only file.
struct AppendEntry {
  static constexpr std::string_view name = "append";
  Entry entry;
  bool operator==(const AppendEntry&) const = default;
};
BOOST_DESCRIBE_STRUCT(AppendEntry, (), (entry))

/// The data of its master in place of its own.
struct ReplaceData {
  static constexpr std::string_view name = "replace";
  Data data;
  bool operator==(const ReplaceData&) const = default;
};
BOOST_DESCRIBE_STRUCT(ReplaceData, (), (data))

using Record = variant<SaveEpoch, SaveVote, SaveConfig, SaveKnown, SaveMaster, AppendEntry, ReplaceData>;

struct Durable {
  // ---- a sentinel's; no_server: as configured
  std::int64_t current_epoch = 0;
  std::int64_t leader_epoch = 0;
  std::int64_t config_epoch = 0;
  ServerId master = no_server;  ///< a Redis server: itself, or the master that it copies
  std::vector<ServerId> found;  ///< sentinels that it has heard of since it was configured
  // ---- a Redis server's
  Data data;
  bool operator==(const Durable&) const = default;
};
BOOST_DESCRIBE_STRUCT(Durable, (), (current_epoch, leader_epoch, config_epoch, master, found, data))

enum class TimerKind : std::uint8_t {
  tick,  ///< a sentinel looks at everything; all decisions are made there
  // ---- of a sentinel, for one instance
  ping,       ///< since its last PONG
  down,       ///< since the first PING that is not answered
  reconnect,  ///< since the last attempt to connect
  info,       ///< since its last answer to INFO: the usual interval
  info_soon,  ///< and the one during a failover
  info_old,   ///< since then: it is not to be promoted
  available,  ///< since its last PONG: it is not to be promoted
  hello,      ///< since the last HELLO
  report,     ///< since it reported another role or master
  detached,   ///< since a replica reported that it does not reach its master, before the master was down
  reconf,     ///< since a replica was told its new master
  ask,        ///< since a sentinel's last answer
  answer,     ///< since then: the answer no longer counts
  // ---- of a sentinel
  gate,      ///< no failover is started
  election,  ///< it is not elected
  failover,  ///< since the last change of the failover's state
  tilt,
  // ---- of a Redis server
  sync,  ///< a replica connects again
  ack,   ///< a replica reports to its master
  lag,   ///< a master looks which of its replicas have not reported for too long
  // ---- of a client
  client_retry,
  answer_limit,
  // ---- of a Redis server
  second,  ///< its clock's next second
};
BOOST_DESCRIBE_ENUM(TimerKind, tick, ping, down, reconnect, info, info_soon, info_old, available, hello,
                    report, detached, reconf, ask, answer, gate, election, failover, tilt, sync, ack, lag,
                    client_retry, answer_limit, second)

/// An instant that a sentinel remembers: its last tick.
enum class MarkKey : std::uint8_t { tick };
BOOST_DESCRIBE_ENUM(MarkKey, tick)

}  // namespace zablab::sentinel
