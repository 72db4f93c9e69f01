// The state of a broker and of a client. ZooKeeper's servers, and the sessions of brokers and clients, are
// nodes of the family `zookeeper`.
#pragma once

#include <optional>
#include <vector>

#include "protocol/kafka/messages.h"

namespace zablab::kafka {

/// What the controller's thread of a broker has to do, one after the other (ControllerEventManager).
enum class Item : std::uint8_t {
  startup,            ///< a session has begun: register, and take part in the election
  controller_change,  ///< /controller was created or changed
  reelect,            ///< /controller was deleted
  broker_change,      ///< the list of live brokers has changed
  expire,             ///< a session was over
};
BOOST_DESCRIBE_ENUM(Item, startup, controller_change, reelect, broker_change, expire)

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
  partition_read,
  partition_written,
};
BOOST_DESCRIBE_ENUM(Stage, none, paths, registration, registration_read, registration_gone, watch, read,
                    epoch_read, epoch_created, claim, claim_read, claim_epoch_read, brokers, partition_read,
                    partition_written)

struct Broker {
  zookeeper::SessionId session = zookeeper::no_session;
  bool registered = false;
  std::vector<Item> queue;
  std::optional<Item> item;  ///< in progress
  Stage stage{};
  std::optional<zookeeper::Op> asked;  ///< not answered yet; repeated when a connection is lost
  ServerId controller = no_server;     ///< as it has read
  std::int64_t wanted_epoch = 0;       ///< of its claim
  std::int32_t version = 0;            ///< of /controller_epoch, as read, or as its claim has made it
  // ---- as the controller
  bool active = false;
  std::int64_t epoch = 0;
  std::vector<ServerId> live;
  std::optional<std::int32_t> partition_version;  ///< of the partition's state; none: it does not exist
  Partition partition;
  // ---- as a broker that is told
  std::int64_t seen_epoch = 0;  ///< the latest controller epoch that it has obeyed
  ServerId told_controller = no_server;
  Partition told;
  bool operator==(const Broker&) const = default;
};
BOOST_DESCRIBE_STRUCT(Broker, (),
                      (session, registered, queue, item, stage, asked, controller, wanted_epoch, version,
                       active, epoch, live, partition_version, partition, seen_epoch, told_controller, told))

struct Client {
  ServerId server = no_server;  ///< the broker that it asks; none: all of them, and the first answer counts
  std::optional<std::int64_t> asked;  ///< the number of its request
  bool operator==(const Client&) const = default;
};
BOOST_DESCRIBE_STRUCT(Client, (), (server, asked))

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
