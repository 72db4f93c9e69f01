// The family `kafka`: brokers that elect a controller by means of ZooKeeper, and the controller's choice of a
// partition's leader. ZooKeeper's servers are nodes of the family, too.
#pragma once

#include <array>
#include <string_view>

#include "protocol/family_base.h"
#include "protocol/kafka/config.h"
#include "protocol/kafka/events.h"
#include "protocol/kafka/rules.h"
#include "protocol/kafka/state.h"

namespace zablab::kafka {

struct Types {
  using Message = kafka::Message;
  using Record = kafka::Record;
  using Durable = kafka::Durable;
  using TimerKind = kafka::TimerKind;
  using TimerKey = zookeeper::Types::TimerKey;
  using Event = kafka::Event;
  using Request = kafka::Request;
  using MarkKey = ServerId;  ///< a leader: when this follower has last fetched
};

using V = Vocabulary<Types>;
using Input = V::Input;
using Effects = V::Effects;

struct Family : FamilyBase<Types, Config, Rules, Node> {
  static constexpr std::string_view name = "kafka";
  static constexpr std::string_view text =
      "Kafka with ZooKeeper: brokers elect a controller by an ephemeral node; it chooses the partition's "
      "leader from the replicas that are in sync";
  static constexpr std::array links{
      LinkSpec{"election", LinkKind::slot}, LinkSpec{"learner", LinkKind::tcp},
      LinkSpec{"session", LinkKind::tcp},   LinkSpec{"broker", LinkKind::slot},
      LinkSpec{"replica", LinkKind::slot},  LinkSpec{"metadata", LinkKind::datagram}};

  static Node blank(ServerId self);
  static void step(const Config&, const Rules&, Node&, const Input&, Effects&, Millis clock = 0);
  static Node loaded(const Config&, const Rules&, ServerId self, const Durable&);
  static void write(Durable&, const Record&);
  /// The part of `record` that is on the disk when the process dies while writing it.
  static void writeHalf(Durable&, const Record&);
  static bool accepts(const Node&, Link);
  static RuleTables<Rules> ruleTables() { return kafka::ruleTables(); }
};

}  // namespace zablab::kafka
