// What the steps of a node make observable, in addition to ZooKeeper's events.
#pragma once

#include <boost/describe.hpp>
#include <boost/mp11.hpp>
#include <string_view>
#include <variant>
#include <vector>

#include "protocol/kafka/types.h"
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

/// A broker has created /controller. `found_out`: the reply was lost, and it has read that the node is its
/// own.
struct ControllerElected {
  static constexpr std::string_view name = "controller_elected";
  std::int64_t epoch = 0;
  bool found_out = false;
  bool operator==(const ControllerElected&) const = default;
};
BOOST_DESCRIBE_STRUCT(ControllerElected, (), (epoch, found_out))

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

/// A broker obeys a controller's request, or refuses it because it has obeyed one of a later epoch.
struct RequestDecided {
  static constexpr std::string_view name = "controller_request";
  ServerId controller = no_server;
  std::int64_t epoch = 0;
  std::int64_t seen = 0;  ///< the latest epoch before
  bool accepted = false;
  bool operator==(const RequestDecided&) const = default;
};
BOOST_DESCRIBE_STRUCT(RequestDecided, (), (controller, epoch, seen, accepted))

/// A replica leads the partition, or follows.
struct RoleChanged {
  static constexpr std::string_view name = "replica_role";
  ServerId leader = no_server;
  std::int64_t leader_epoch = 0;
  bool operator==(const RoleChanged&) const = default;
};
BOOST_DESCRIBE_STRUCT(RoleChanged, (), (leader, leader_epoch))

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

using OwnEvents = std::variant<Registered, ControllerKnown, ControllerElected, ElectionLost, Resigned,
                               BrokersSeen, LeaderChosen, RequestDecided, RoleChanged, MetadataAnswered>;
using Event = boost::mp11::mp_append<zookeeper::Event, OwnEvents>;

}  // namespace zablab::kafka
