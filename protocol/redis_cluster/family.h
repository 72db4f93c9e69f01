// Redis Cluster as the engines see it: its types, its links and its one step function.
//
// Masters own slots, replicas copy a master's writes. Nodes find failures by gossip; a replica of a failed
// master asks the masters for votes in a new epoch, and takes over the slots with a higher configuration
// epoch. The bus consists of datagrams here, which may be lost, duplicated and reordered: of what real
// connections give beyond that, only the distinct voters matter, and these are counted.
#pragma once

#include <array>
#include <string_view>

#include "protocol/family_base.h"
#include "protocol/redis_cluster/config.h"
#include "protocol/redis_cluster/events.h"
#include "protocol/redis_cluster/messages.h"
#include "protocol/redis_cluster/rules.h"
#include "protocol/redis_cluster/state.h"

namespace zablab::redis_cluster {

struct Types {
  using Message = redis_cluster::Message;
  using Record = redis_cluster::Record;
  using Durable = redis_cluster::Durable;
  using TimerKind = redis_cluster::TimerKind;
  using Event = redis_cluster::Event;
  using Request = redis_cluster::Request;
  using MarkKey = redis_cluster::MarkKey;
};

using V = Vocabulary<Types>;
using Timer = V::Timer;
using Input = V::Input;
using Effects = V::Effects;

struct Family : FamilyBase<Types, Config, Rules, Node> {
  static constexpr std::string_view name = "redis_cluster";
  static constexpr std::string_view text =
      "Redis Cluster: failures found by gossip, replicas elected by masters, slots claimed by epochs";
  static constexpr std::array links{LinkSpec{"bus", LinkKind::datagram},
                                    LinkSpec{"replication", LinkKind::tcp},
                                    LinkSpec{"client", LinkKind::datagram}};

  static void step(const Config&, const Rules&, Node&, const Input&, Effects&);
  static Node loaded(const Config&, const Rules&, ServerId self, const Durable&);
  static void write(Durable&, const Record&);
  static RuleTables<Rules> ruleTables() { return redis_cluster::ruleTables(); }
};

inline constexpr Link bus_link = 0;
inline constexpr Link replication_link = 1;
inline constexpr Link client_link = 2;

}  // namespace zablab::redis_cluster
