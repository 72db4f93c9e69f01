// The broadcast as a part of a family of protocols: its types and its one step function, over a service.
// protocol/zab/family_impl.h contains the definitions, for the one file of each family that instantiates
// them.
#pragma once

#include <string_view>

#include "protocol/zab/config.h"
#include "protocol/zab/rules.h"
#include "protocol/zab/service.h"

namespace zablab::zab {

template <class S>
struct BasicFamily : BasicTypes<S> {
  using Service = S;
  using Vocabulary = zablab::Vocabulary<BasicTypes<S>>;
  using Node = typename S::Node;
  using Durable = BasicDurable<S>;
  using Record = BasicRecord<S>;
  using Message = BasicMessage<S>;

  /// A process that has not started yet.
  static Node blank(ServerId self);
  /// `clock`: what the service reads as BasicContext::clock.
  static void stepServer(const Config&, const typename S::Rules&, Node&, const typename Vocabulary::Input&,
                         typename Vocabulary::Effects&, Millis clock = 0);
  /// A process that has loaded its disk but done nothing else yet.
  static Node loaded(const Config&, const typename S::Rules&, ServerId self, const Durable&);
  /// A server decides for another server, by an election whose messages are not modelled.
  static constexpr std::string_view own_action = "elect";
  /// The notification with which the other server begins to look; for one that is down, after a restart.
  static Message shown(const Config&, const typename S::Rules&, bool up, const Node&, const Durable&);
  /// Applies `record` to a disk.
  static void write(Durable&, const Record&);
  /// The part of `record` that is on the disk when the process dies while writing it.
  static void writeHalf(Durable&, const Record&);
  /// Whether a dial of this server on a link of the broadcast succeeds now.
  static bool acceptsServer(const Node&, Link link);
};

}  // namespace zablab::zab
