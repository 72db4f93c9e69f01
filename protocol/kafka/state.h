// The state of a broker and of a client. ZooKeeper's servers, and the sessions of brokers and clients, are
// nodes of the family `zookeeper`.
#pragma once

#include <map>
#include <optional>
#include <vector>

#include "protocol/kafka/messages.h"
#include "protocol/variant.h"

namespace zablab::kafka {

/// What the controller's thread of a broker has to do, one after the other (ControllerEventManager).
enum class Item : std::uint8_t {
  startup,            ///< a session has begun: register, and take part in the election
  controller_change,  ///< /controller was created or changed
  reelect,            ///< /controller was deleted
  broker_change,      ///< the list of live brokers has changed
  preferred,          ///< an operator asks for the preferred leader
  expire,             ///< a session was over
};
BOOST_DESCRIBE_ENUM(Item, startup, controller_change, reelect, broker_change, preferred, expire)

/// For which answer of ZooKeeper it waits.
enum class Stage : std::uint8_t {
  none,
  paths,              ///< the nodes that everything else is below
  registration,       ///< to create its node below /brokers/ids
  registration_read,  ///< whose the node is that is there
  registration_gone,  ///< to delete the one of an earlier session
  watch,              ///< whether /controller exists
  read,               ///< who is the controller
  epoch_read,
  epoch_created,
  claim,
  claim_read,        ///< the claim has failed: who is the controller
  claim_epoch_read,  ///< it is itself: whether the epoch is the one that it wanted
  brokers,           ///< which brokers are alive
  broker_read,       ///< since when one of them is registered
  partition_read,
  partition_written,
  isr_written,  ///< the leader's own requests, beside the controller's
  isr_read,
};
BOOST_DESCRIBE_ENUM(Stage, none, paths, registration, registration_read, registration_gone, watch, read,
                    epoch_read, epoch_created, claim, claim_read, claim_epoch_read, brokers, broker_read,
                    partition_read, partition_written, isr_written, isr_read)

/// A live broker, as the controller sees it.
struct LiveBroker {
  ServerId id = no_server;
  std::int64_t epoch = 0;  ///< the zxid that has created its node: another one for each of its sessions
  bool operator==(const LiveBroker&) const = default;
};
BOOST_DESCRIBE_STRUCT(LiveBroker, (), (id, epoch))

/// What a leader knows of a follower.
struct FollowerState {
  std::optional<std::int64_t> end;  ///< of its log, as it said in this leader epoch
  std::int64_t leader_end = 0;      ///< of the leader's log, when it last fetched
  bool waits = false;               ///< its fetch is answered when there is more
  bool operator==(const FollowerState&) const = default;
};
BOOST_DESCRIBE_STRUCT(FollowerState, (), (end, leader_end, waits))

/// A producer that is answered when its record is committed.
struct Waiting {
  ServerId client = no_server;
  std::int64_t number = 0;
  std::int64_t offset = 0;
  bool operator==(const Waiting&) const = default;
};
BOOST_DESCRIBE_STRUCT(Waiting, (), (client, number, offset))

enum class ReplicaRole : std::uint8_t {
  none,
  leader,
  truncating,  ///< a follower that asks where its last epoch ends
  fetching,
};
BOOST_DESCRIBE_ENUM(ReplicaRole, none, leader, truncating, fetching)

/// A broker's replica of the partition.
struct Replica {
  ReplicaRole role{};
  Log log;
  std::int64_t high_watermark = 0;
  // ---- of a leader
  std::int64_t epoch_start = 0;  ///< the end of its log when it became the leader
  std::map<ServerId, FollowerState> followers;
  std::optional<std::vector<ServerId>> wanted_isr;  ///< that it has asked ZooKeeper to write
  std::optional<zookeeper::Op> isr_asked;           ///< not answered yet
  Stage isr_stage{};
  std::int64_t isr_number = 0;
  std::vector<Waiting> waiting;
  bool operator==(const Replica&) const = default;
};
BOOST_DESCRIBE_STRUCT(Replica, (),
                      (role, log, high_watermark, epoch_start, followers, wanted_isr, isr_asked, isr_stage,
                       isr_number, waiting))

// ---- what a disk holds: a broker's log, or what ZooKeeper's server writes

struct Durable {
  zookeeper::Durable zookeeper;
  Log log;
  std::int64_t high_watermark = 0;
  bool operator==(const Durable&) const = default;
};
BOOST_DESCRIBE_STRUCT(Durable, (), (zookeeper, log, high_watermark))

struct AppendRecords {
  static constexpr std::string_view name = "append";
  Log entries;
  bool operator==(const AppendRecords&) const = default;
};
BOOST_DESCRIBE_STRUCT(AppendRecords, (), (entries))
struct TruncateLog {
  static constexpr std::string_view name = "truncate";
  std::int64_t end = 0;
  bool operator==(const TruncateLog&) const = default;
};
BOOST_DESCRIBE_STRUCT(TruncateLog, (), (end))
struct CheckpointHighWatermark {
  static constexpr std::string_view name = "checkpoint";
  std::int64_t high_watermark = 0;
  bool operator==(const CheckpointHighWatermark&) const = default;
};
BOOST_DESCRIBE_STRUCT(CheckpointHighWatermark, (), (high_watermark))
using OwnRecords = variant<AppendRecords, TruncateLog, CheckpointHighWatermark>;
using Record = boost::mp11::mp_append<zookeeper::Record, OwnRecords>;

/// Of ZooKeeper's timers those that one server and its clients have, by their names there; and the brokers'.
enum class TimerKind : std::uint8_t {
  snapshot,
  session_expiry,
  container_check,
  node_ttl,
  reconnect,
  client_ping,
  server_limit,
  fetch_retry,    ///< follower: the leader has not answered
  fetch_wait,     ///< leader: this follower is answered although there is nothing new
  replica_lag,    ///< leader: this follower has not been at the end of the log
  request_retry,  ///< controller: a connection to a live broker may have failed or broken
};
BOOST_DESCRIBE_ENUM(TimerKind, snapshot, session_expiry, container_check, node_ttl, reconnect, client_ping,
                    server_limit, fetch_retry, fetch_wait, replica_lag, request_retry)

struct Broker {
  zookeeper::SessionId session = zookeeper::no_session;
  bool registered = false;
  std::int64_t broker_epoch = 0;  ///< the zxid that has created its node below /brokers/ids
  std::vector<Item> queue;
  std::optional<Item> item;  ///< in progress
  Stage stage{};
  std::optional<zookeeper::Op> asked;  ///< not answered yet; repeated when a connection is lost
  std::int64_t asked_number = 0;
  ServerId controller = no_server;  ///< as it has read
  std::int64_t wanted_epoch = 0;    ///< of its claim
  std::int32_t version = 0;         ///< of /controller_epoch, as read, or as its claim has made it
  // ---- as the controller
  bool active = false;
  std::int64_t epoch = 0;
  std::vector<LiveBroker> live;
  std::vector<LiveBroker> reading;                ///< the list that it is about to see alive
  bool begins = false;                            ///< it has not chosen a leader yet
  std::vector<ServerId> offline;                  ///< then: dead replicas to be taken from the ISR
  std::optional<std::int32_t> partition_version;  ///< of the partition's state; none: it does not exist
  Partition partition;
  // ---- as the receiver of controllers' requests
  std::int64_t seen_epoch = 0;                        ///< the latest controller epoch that it has accepted
  ServerId metadata_controller = no_server;           ///< as it answers clients
  Partition applied;                                  ///< the partition's state that its replica follows
  std::int32_t applied_version = 0;                   ///< of that in ZooKeeper, or as its own write made it
  std::optional<ControllerRequest> deferred_request;  ///< has arrived before the registration
  Replica replica;
  bool operator==(const Broker&) const = default;
};
BOOST_DESCRIBE_STRUCT(Broker, (),
                      (session, registered, broker_epoch, queue, item, stage, asked, asked_number, controller,
                       wanted_epoch, version, active, epoch, live, reading, begins, offline,
                       partition_version, partition, seen_epoch, metadata_controller, applied,
                       applied_version, deferred_request, replica))

struct Client {
  ServerId server = no_server;  ///< the broker that it asks; none: all of them, and the first answer counts
  std::optional<Request> asked;
  bool knows_leader = false;  ///< the request was sent to the leader, or where the scenario says
  bool operator==(const Client&) const = default;
};
BOOST_DESCRIBE_STRUCT(Client, (), (server, asked, knows_leader))

/// `zookeeper`: one of ZooKeeper's servers, or the session of a broker or of a client.
struct Node {
  ServerId self = no_server;
  zookeeper::Node zookeeper;
  std::optional<Broker> broker;
  std::optional<Client> client;
  bool operator==(const Node&) const = default;
};
BOOST_DESCRIBE_STRUCT(Node, (), (self, zookeeper, broker, client))

}  // namespace zablab::kafka
