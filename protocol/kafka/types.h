// The terms of Kafka with ZooKeeper: the kinds of nodes, the paths in the store, a partition's state there.
#pragma once

#include <algorithm>
#include <boost/describe.hpp>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "protocol/vocabulary.h"

namespace zablab::kafka {

enum class NodeKind : std::uint8_t { broker, zookeeper, client };
BOOST_DESCRIBE_ENUM(NodeKind, broker, zookeeper, client)

inline constexpr std::string_view controller_path = "/controller";
inline constexpr std::string_view epoch_path = "/controller_epoch";
inline constexpr std::string_view ids_path = "/brokers/ids";
inline constexpr std::string_view state_path = "/brokers/topics/t/partitions/0/state";
inline std::string idPath(ServerId broker) { return std::string(ids_path) + "/" + std::to_string(broker); }

inline bool contains(const std::vector<ServerId>& list, ServerId id) {
  return std::find(list.begin(), list.end(), id) != list.end();
}

/// The state of the partition, as ZooKeeper has it.
struct Partition {
  ServerId leader = no_server;  ///< none: the partition is offline
  std::int64_t leader_epoch = 0;
  std::vector<ServerId> isr;  ///< the replicas that are in sync
  std::int64_t controller_epoch = 0;
  bool operator==(const Partition&) const = default;
};
BOOST_DESCRIBE_STRUCT(Partition, (), (leader, leader_epoch, isr, controller_epoch))

/// `leader=1 leader_epoch=2 isr=1,3 controller_epoch=4`; without a leader -1, as in Kafka.
std::string textOf(const Partition& partition);
/// Empty if it is no such text.
std::optional<Partition> partitionOf(std::string_view text);
std::optional<std::int64_t> numberOf(std::string_view text);

/// A record of the partition: the number of the request that produced it, and the leader epoch of the leader
/// that appended it.
struct Entry {
  std::int64_t number = 0;
  std::int64_t leader_epoch = 0;
  bool operator==(const Entry&) const = default;
};
BOOST_DESCRIBE_STRUCT(Entry, (), (number, leader_epoch))
using Log = std::vector<Entry>;
inline std::int64_t endOf(const Log& log) { return static_cast<std::int64_t>(log.size()); }

/// When a producer's request is answered (`acks`): when all that are in sync have the record, when the leader
/// has it, or not at all.
enum class Acks : std::uint8_t { all, leader, none };
BOOST_DESCRIBE_ENUM(Acks, all, leader, none)

/// What a client is instructed to do.
enum class Operation : std::uint8_t {
  connect,            ///< to ask this broker from now on
  metadata,           ///< to ask it who is the controller and who leads
  produce,            ///< to ask that, and then the leader to append a record
  consume,            ///< to ask that, and then the leader for the last committed record
  elect_preferred,    ///< to ask the controller to make the preferred replica the leader
  delete_controller,  ///< to delete /controller in ZooKeeper, as operators do to have another controller
};
BOOST_DESCRIBE_ENUM(Operation, connect, metadata, produce, consume, elect_preferred, delete_controller)

struct Request {
  Operation operation{};
  std::int64_t number = 0;
  ServerId server = no_server;  ///< of connect, or of produce and consume: this broker, whoever leads
  Acks acks{};
  bool operator==(const Request&) const = default;
};
BOOST_DESCRIBE_STRUCT(Request, (), (operation, number, server, acks))

enum class Outcome : std::uint8_t {
  ok,
  no_controller,        ///< the broker knows none
  not_leader,           ///< the broker does not lead the partition, or nobody does
  not_available,        ///< the leader does not know yet what the one before has committed (KIP-207)
  not_enough_replicas,  ///< fewer are in sync than min.insync.replicas
  unanswered,
};
BOOST_DESCRIBE_ENUM(Outcome, ok, no_controller, not_leader, not_available, not_enough_replicas, unanswered)

}  // namespace zablab::kafka
