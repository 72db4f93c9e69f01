// The terms of Kafka with ZooKeeper: the kinds of nodes, the paths in the store, a partition's state there.
#pragma once

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

/// The state of the partition, as the controller writes it.
struct Partition {
  ServerId leader = no_server;  ///< none: the partition is offline
  std::int64_t leader_epoch = 0;
  std::vector<ServerId> isr;
  std::int64_t controller_epoch = 0;
  bool operator==(const Partition&) const = default;
};
BOOST_DESCRIBE_STRUCT(Partition, (), (leader, leader_epoch, isr, controller_epoch))

/// `leader=1 leader_epoch=2 isr=1,3 controller_epoch=4`; without a leader -1, as in Kafka.
std::string textOf(const Partition& partition);
/// Empty if it is no such text.
std::optional<Partition> partitionOf(std::string_view text);
std::optional<std::int64_t> numberOf(std::string_view text);

/// What a client is instructed to do.
enum class Operation : std::uint8_t {
  connect,            ///< to turn to a broker
  metadata,           ///< to ask it who is the controller and who leads
  delete_controller,  ///< to delete /controller in ZooKeeper, as operators do to have another controller
};
BOOST_DESCRIBE_ENUM(Operation, connect, metadata, delete_controller)

struct Request {
  Operation operation{};
  std::int64_t number = 0;
  ServerId server = no_server;
  bool operator==(const Request&) const = default;
};
BOOST_DESCRIBE_STRUCT(Request, (), (operation, number, server))

enum class Outcome : std::uint8_t {
  ok,
  no_controller,  ///< the broker knows none
  unanswered,
};
BOOST_DESCRIBE_ENUM(Outcome, ok, no_controller, unanswered)

}  // namespace zablab::kafka
