// Leader and Followers as the engines see it: its types, its links and its one step function.
//
// Servers elect a leader for a generation by votes; the leader puts clients' writes into its log, followers
// copy it, and what a quorum has is committed. `Rules` says how much of that a variant does correctly.
#pragma once

#include <array>
#include <string_view>

#include "protocol/leader_followers/config.h"
#include "protocol/leader_followers/events.h"
#include "protocol/leader_followers/messages.h"
#include "protocol/leader_followers/rules.h"
#include "protocol/leader_followers/state.h"

namespace zablab::leader_followers {

struct Types {
  using Message = leader_followers::Message;
  using Record = leader_followers::Record;
  using Durable = leader_followers::Durable;
  using TimerKind = leader_followers::TimerKind;
  using Event = leader_followers::Event;
  using Request = leader_followers::Request;
};

using V = Vocabulary<Types>;
using Timer = V::Timer;
using Input = V::Input;
using Effects = V::Effects;

struct Family : Types {
  using Vocabulary = V;
  using Config = leader_followers::Config;
  using Rules = leader_followers::Rules;
  using Node = leader_followers::Node;

  static constexpr std::string_view name = "leader_followers";
  static constexpr std::string_view text =
      "Leader and Followers with a generation clock: the printed handler with its holes, and the sound one "
      "(Raft)";
  static constexpr std::array links{LinkSpec{"server", LinkKind::tcp}, LinkSpec{"client", LinkKind::tcp}};

  /// A process that has not started yet.
  static Node blank(ServerId self);
  /// A process that has loaded its disk but done nothing else yet.
  static Node loaded(const Config&, const Rules&, ServerId self, const Durable&);
  static void step(const Config&, const Rules&, Node&, const Input&, Effects&);
  /// Applies `record` to a disk.
  static void write(Durable&, const Record&);
  /// Whether a dial of this node on `link` succeeds now.
  static bool accepts(const Node&, Link link);
};

}  // namespace zablab::leader_followers
