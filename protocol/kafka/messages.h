// The messages between brokers and of clients, in addition to ZooKeeper's.
#pragma once

#include <boost/describe.hpp>
#include <boost/mp11.hpp>
#include <string_view>

#include "protocol/kafka/types.h"
#include "protocol/variant.h"
#include "protocol/zookeeper/family.h"

namespace zablab::kafka {

inline constexpr Link broker_link = 3;    ///< after ZooKeeper's three: what controllers send
inline constexpr Link replica_link = 4;   ///< what replicas fetch
inline constexpr Link metadata_link = 5;  ///< of clients

/// What a controller sends to brokers: LeaderAndIsr for the partition and UpdateMetadata in one, since each
/// repeats all that there is to know.
struct ControllerRequest {
  static constexpr std::string_view name = "UPDATE_METADATA";
  ServerId controller = no_server;
  std::int64_t controller_epoch = 0;
  std::int64_t broker_epoch = 0;  ///< of the process that it is meant for
  std::vector<ServerId> live;
  Partition partition;
  std::int32_t version = 0;  ///< of the partition's state in ZooKeeper
  bool operator==(const ControllerRequest&) const = default;
};
BOOST_DESCRIBE_STRUCT(ControllerRequest, (),
                      (controller, controller_epoch, broker_epoch, live, partition, version))

// ---- between replicas

/// A follower asks for what comes after the end of its log.
struct Fetch {
  static constexpr std::string_view name = "FETCH";
  std::int64_t leader_epoch = 0;
  std::int64_t offset = 0;
  bool operator==(const Fetch&) const = default;
};
BOOST_DESCRIBE_STRUCT(Fetch, (), (leader_epoch, offset))

struct FetchResponse {
  static constexpr std::string_view name = "FETCH_RESPONSE";
  std::int64_t leader_epoch = 0;
  std::int64_t asked = 0;   ///< the offset that was asked for
  std::int64_t offset = 0;  ///< less than that: the leader's log ends here
  Log entries;
  std::int64_t high_watermark = 0;
  bool operator==(const FetchResponse&) const = default;
};
BOOST_DESCRIBE_STRUCT(FetchResponse, (), (leader_epoch, asked, offset, entries, high_watermark))

/// A follower asks where an epoch ends in the leader's log.
struct EpochEndRequest {
  static constexpr std::string_view name = "OFFSET_FOR_LEADER_EPOCH";
  std::int64_t leader_epoch = 0;
  std::int64_t epoch = 0;
  bool operator==(const EpochEndRequest&) const = default;
};
BOOST_DESCRIBE_STRUCT(EpochEndRequest, (), (leader_epoch, epoch))

struct EpochEndResponse {
  static constexpr std::string_view name = "OFFSET_FOR_LEADER_EPOCH_RESPONSE";
  std::int64_t leader_epoch = 0;
  std::int64_t asked = 0;
  std::int64_t epoch = 0;  ///< the latest in the leader's log that is not after the one asked for; -1: none
  std::int64_t end = 0;    ///< where it ends there
  bool operator==(const EpochEndResponse&) const = default;
};
BOOST_DESCRIBE_STRUCT(EpochEndResponse, (), (leader_epoch, asked, epoch, end))

// ---- of clients

struct MetadataRequest {
  static constexpr std::string_view name = "METADATA";
  std::int64_t number = 0;
  bool operator==(const MetadataRequest&) const = default;
};
BOOST_DESCRIBE_STRUCT(MetadataRequest, (), (number))

/// As the latest request of a controller to the answering broker says.
struct MetadataResponse {
  static constexpr std::string_view name = "METADATA_RESPONSE";
  std::int64_t number = 0;
  ServerId controller = no_server;
  ServerId leader = no_server;
  bool operator==(const MetadataResponse&) const = default;
};
BOOST_DESCRIBE_STRUCT(MetadataResponse, (), (number, controller, leader))

struct Produce {
  static constexpr std::string_view name = "PRODUCE";
  std::int64_t number = 0;
  Acks acks{};
  bool operator==(const Produce&) const = default;
};
BOOST_DESCRIBE_STRUCT(Produce, (), (number, acks))

struct ProduceResponse {
  static constexpr std::string_view name = "PRODUCE_RESPONSE";
  std::int64_t number = 0;
  Outcome outcome{};
  Acks acks{};
  bool operator==(const ProduceResponse&) const = default;
};
BOOST_DESCRIBE_STRUCT(ProduceResponse, (), (number, outcome, acks))

struct Consume {
  static constexpr std::string_view name = "CONSUME";
  std::int64_t number = 0;
  bool operator==(const Consume&) const = default;
};
BOOST_DESCRIBE_STRUCT(Consume, (), (number))

struct ConsumeResponse {
  static constexpr std::string_view name = "CONSUME_RESPONSE";
  std::int64_t number = 0;
  Outcome outcome{};
  std::int64_t record = 0;  ///< the number of the last committed one; 0: there is none
  bool operator==(const ConsumeResponse&) const = default;
};
BOOST_DESCRIBE_STRUCT(ConsumeResponse, (), (number, outcome, record))

struct ElectLeaders {
  static constexpr std::string_view name = "ELECT_LEADERS";
  std::int64_t number = 0;
  bool operator==(const ElectLeaders&) const = default;
};
BOOST_DESCRIBE_STRUCT(ElectLeaders, (), (number))

using OwnMessages =
    variant<ControllerRequest, Fetch, FetchResponse, EpochEndRequest, EpochEndResponse, MetadataRequest,
            MetadataResponse, Produce, ProduceResponse, Consume, ConsumeResponse, ElectLeaders>;
using Message = boost::mp11::mp_append<zookeeper::Message, OwnMessages>;

}  // namespace zablab::kafka
