// The ZAB family as the engines see it: its types, its links and its one step function.
#pragma once

#include <array>
#include <string_view>

#include "protocol/zab/config.h"
#include "protocol/zab/events.h"
#include "protocol/zab/messages.h"
#include "protocol/zab/rules.h"
#include "protocol/zab/state.h"

namespace zablab::zab {

struct Types {
  using Message = zab::Message;
  using Record = zab::Record;
  using Durable = zab::Durable;
  using TimerKind = zab::TimerKind;
  using Event = zab::Event;
  using Request = zab::Request;
};

using V = Vocabulary<Types>;
using Timer = V::Timer;
using Input = V::Input;
using Effects = V::Effects;

/// What `World` and the stores need to know of a family of protocols.
struct Family : Types {
  using Vocabulary = V;
  using Config = zab::Config;
  using Rules = zab::Rules;
  using Node = zab::Node;

  static constexpr std::string_view name = "zab";
  static constexpr std::string_view text =
      "ZooKeeper's FastLeaderElection and ZAB, with clients that write and read one value";
  static constexpr std::array links{LinkSpec{"election", LinkKind::slot}, LinkSpec{"learner", LinkKind::tcp},
                                    LinkSpec{"client", LinkKind::tcp}};

  /// A process that has not started yet.
  static Node blank(ServerId self);
  static void step(const Config&, const Rules&, Node&, const Input&, Effects&);
  /// A process that has loaded its disk and done nothing else yet.
  static Node loaded(const Config&, const Rules&, ServerId self, const Durable&);
  /// The notification with which the server begins to look; of one that is down, after a restart.
  static Message ballot(const Config&, const Rules&, bool up, const Node&, const Durable&);
  /// What `record` makes of a disk.
  static void write(Durable&, const Record&);
  /// What is there of `record` when the process dies while it is being written.
  static void writeHalf(Durable&, const Record&);
  /// Whether a dial of this node on `link` succeeds now.
  static bool accepts(const Node&, Link link);
};

}  // namespace zablab::zab
