// What the steps of a node make observable, in addition to ZooKeeper's events.
#pragma once

#include <boost/describe.hpp>
#include <boost/mp11.hpp>
#include <string_view>
#include <vector>

#include "protocol/kafka/types.h"
#include "protocol/variant.h"
#include "protocol/zookeeper/family.h"

namespace zablab::kafka {

/// A broker has its node below /brokers/ids. `assumed`: there was one, and it did not ask whose it is.
struct Registered {
  static constexpr std::string_view name = "registered";
  bool assumed = false;
  bool operator==(const Registered&) const = default;
};
BOOST_DESCRIBE_STRUCT(Registered, (), (assumed))

/// A broker learns who is the controller.
struct ControllerKnown {
  static constexpr std::string_view name = "controller_known";
  ServerId controller = no_server;  ///< no_server: nobody
  bool operator==(const ControllerKnown&) const = default;
};
BOOST_DESCRIBE_STRUCT(ControllerKnown, (), (controller))

/// A broker has created /controller. `reply_lost`: it has read that the node is its own.
struct ControllerElected {
  static constexpr std::string_view name = "controller_elected";
  std::int64_t epoch = 0;
  bool reply_lost = false;
  bool operator==(const ControllerElected&) const = default;
};
BOOST_DESCRIBE_STRUCT(ControllerElected, (), (epoch, reply_lost))

/// The multi that creates /controller has failed: another broker was faster.
struct ElectionLost {
  static constexpr std::string_view name = "election_lost";
  std::int64_t epoch = 0;  ///< that it wanted
  bool operator==(const ElectionLost&) const = default;
};
BOOST_DESCRIBE_STRUCT(ElectionLost, (), (epoch))

enum class ResignReason : std::uint8_t {
  session_expired,
  not_named,  ///< /controller names another broker, or is gone
  fenced,     ///< the store has a later controller epoch than its own
};
BOOST_DESCRIBE_ENUM(ResignReason, session_expired, not_named, fenced)

struct Resigned {
  static constexpr std::string_view name = "resigned";
  std::int64_t epoch = 0;
  ResignReason reason{};
  bool operator==(const Resigned&) const = default;
};
BOOST_DESCRIBE_STRUCT(Resigned, (), (epoch, reason))

/// The controller sees these brokers alive.
struct BrokersSeen {
  static constexpr std::string_view name = "brokers_seen";
  std::vector<ServerId> live;
  bool operator==(const BrokersSeen&) const = default;
};
BOOST_DESCRIBE_STRUCT(BrokersSeen, (), (live))

/// The controller has written the partition's state.
struct LeaderChosen {
  static constexpr std::string_view name = "leader_chosen";
  Partition partition;
  bool operator==(const LeaderChosen&) const = default;
};
BOOST_DESCRIBE_STRUCT(LeaderChosen, (), (partition))

/// A broker accepts a controller's request, or refuses it: because it has accepted one of a later epoch, or
/// because it is meant for an earlier process of the broker.
struct RequestDecided {
  static constexpr std::string_view name = "controller_request";
  ServerId controller = no_server;
  std::int64_t epoch = 0;
  std::int64_t seen = 0;          ///< the latest epoch before
  std::int64_t broker_epoch = 0;  ///< of the process that it is meant for
  bool other_process = false;
  bool accepted = false;
  bool operator==(const RequestDecided&) const = default;
};
BOOST_DESCRIBE_STRUCT(RequestDecided, (), (controller, epoch, seen, broker_epoch, other_process, accepted))

/// A replica leads the partition, or follows.
struct RoleChanged {
  static constexpr std::string_view name = "replica_role";
  ServerId leader = no_server;
  std::int64_t leader_epoch = 0;
  bool again = false;                 ///< it has led in the leader epoch before, too
  std::vector<std::int64_t> records;  ///< of its log, if it leads
  bool operator==(const RoleChanged&) const = default;
};
BOOST_DESCRIBE_STRUCT(RoleChanged, (), (leader, leader_epoch, again, records))

enum class TruncatedBy : std::uint8_t {
  epoch,           ///< the leader's log has another end of that epoch
  high_watermark,  ///< what is after the follower's own high watermark is removed
  leaders_end,     ///< the leader's log is shorter
};
BOOST_DESCRIBE_ENUM(TruncatedBy, epoch, high_watermark, leaders_end)

/// A follower removes the end of its log.
struct Truncated {
  static constexpr std::string_view name = "log_truncated";
  std::int64_t from = 0;
  std::int64_t to = 0;
  TruncatedBy by{};
  bool operator==(const Truncated&) const = default;
};
BOOST_DESCRIBE_STRUCT(Truncated, (), (from, to, by))

/// All records before this offset are committed, as the replica knows.
struct HighWatermarkRaised {
  static constexpr std::string_view name = "high_watermark";
  std::int64_t to = 0;
  bool leads = false;
  bool operator==(const HighWatermarkRaised&) const = default;
};
BOOST_DESCRIBE_STRUCT(HighWatermarkRaised, (), (to, leads))

/// The leader has written which replicas are in sync.
struct IsrChanged {
  static constexpr std::string_view name = "isr_changed";
  std::vector<ServerId> isr;
  bool operator==(const IsrChanged&) const = default;
};
BOOST_DESCRIBE_STRUCT(IsrChanged, (), (isr))

/// ZooKeeper has refused that: the version of the partition's state is another one.
struct IsrRefused {
  static constexpr std::string_view name = "isr_refused";
  std::vector<ServerId> isr;  ///< that it wanted
  bool operator==(const IsrRefused&) const = default;
};
BOOST_DESCRIBE_STRUCT(IsrRefused, (), (isr))

/// How a client's request ended.
struct MetadataAnswered {
  static constexpr std::string_view name = "metadata_answered";
  std::int64_t number = 0;
  Outcome outcome{};
  ServerId broker = no_server;
  ServerId controller = no_server;
  ServerId leader = no_server;
  bool operator==(const MetadataAnswered&) const = default;
};
BOOST_DESCRIBE_STRUCT(MetadataAnswered, (), (number, outcome, broker, controller, leader))

/// How a producer's request ended.
struct Produced {
  static constexpr std::string_view name = "produced";
  std::int64_t number = 0;
  Acks acks{};
  Outcome outcome{};
  ServerId broker = no_server;
  bool operator==(const Produced&) const = default;
};
BOOST_DESCRIBE_STRUCT(Produced, (), (number, acks, outcome, broker))

struct Consumed {
  static constexpr std::string_view name = "consumed";
  std::int64_t number = 0;
  Outcome outcome{};
  ServerId broker = no_server;
  std::int64_t last_record = 0;  ///< its number; 0: there is none
  bool operator==(const Consumed&) const = default;
};
BOOST_DESCRIBE_STRUCT(Consumed, (), (number, outcome, broker, last_record))

using OwnEvents = variant<Registered, ControllerKnown, ControllerElected, ElectionLost, Resigned, BrokersSeen,
                          LeaderChosen, RequestDecided, RoleChanged, Truncated, HighWatermarkRaised,
                          IsrChanged, IsrRefused, MetadataAnswered, Produced, Consumed>;
using Event = boost::mp11::mp_append<zookeeper::Event, OwnEvents>;

}  // namespace zablab::kafka
