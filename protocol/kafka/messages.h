// The messages between brokers and of clients, in addition to ZooKeeper's.
#pragma once

#include <boost/describe.hpp>
#include <boost/mp11.hpp>
#include <string_view>
#include <variant>

#include "protocol/kafka/types.h"
#include "protocol/zookeeper/family.h"

namespace zablab::kafka {

inline constexpr Link broker_link = 3;    ///< after ZooKeeper's three
inline constexpr Link metadata_link = 4;  ///< of clients

/// What a controller tells a broker: LeaderAndIsr for the partition and UpdateMetadata in one, since each
/// repeats all that there is to know.
struct ControllerRequest {
  static constexpr std::string_view name = "UPDATE_METADATA";
  ServerId controller = no_server;
  std::int64_t controller_epoch = 0;
  std::vector<ServerId> live;
  Partition partition;
  bool operator==(const ControllerRequest&) const = default;
};
BOOST_DESCRIBE_STRUCT(ControllerRequest, (), (controller, controller_epoch, live, partition))

struct MetadataRequest {
  static constexpr std::string_view name = "METADATA";
  std::int64_t number = 0;
  bool operator==(const MetadataRequest&) const = default;
};
BOOST_DESCRIBE_STRUCT(MetadataRequest, (), (number))

/// As the answering broker was told last.
struct MetadataResponse {
  static constexpr std::string_view name = "METADATA_RESPONSE";
  std::int64_t number = 0;
  ServerId controller = no_server;
  ServerId leader = no_server;
  bool operator==(const MetadataResponse&) const = default;
};
BOOST_DESCRIBE_STRUCT(MetadataResponse, (), (number, controller, leader))

using OwnMessages = std::variant<ControllerRequest, MetadataRequest, MetadataResponse>;
using Message = boost::mp11::mp_append<zookeeper::Message, OwnMessages>;

}  // namespace zablab::kafka
