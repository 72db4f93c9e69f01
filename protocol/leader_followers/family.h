// Leader and Followers as the engines see it: its types, its links and its one step function.
//
// Servers elect a leader for a generation by votes; the leader puts clients' writes into its log, followers
// copy it, and what a quorum has is committed. `Rules` says how much of that a variant does correctly.
#pragma once

#include <array>
#include <string_view>

#include "protocol/family_base.h"
#include "protocol/leader_followers/register.h"
#include "protocol/leader_followers/server.h"

namespace zablab::leader_followers {

using Types = BasicTypes<Register>;
using V = Vocabulary<Types>;
using Timer = V::Timer;
using Input = V::Input;
using Effects = V::Effects;

struct Family : FamilyBase<Types, Config, Rules, Node>, BasicFamily<Register> {
  static constexpr std::string_view name = "leader_followers";
  static constexpr std::string_view text =
      "Leader and Followers with a generation clock: the printed handler with its holes, and the sound one "
      "(Raft)";
  static constexpr std::array links{LinkSpec{"server", LinkKind::tcp}, LinkSpec{"client", LinkKind::tcp}};

  /// A process that has loaded its disk but done nothing else yet.
  static Node loaded(const Config&, const Rules&, ServerId self, const Durable&);
  static void step(const Config&, const Rules&, Node&, const Input&, Effects&);
  /// Whether a dial of this node on `link` succeeds now.
  static bool accepts(const Node&, Link link);
  static RuleTables<Rules> ruleTables() { return leader_followers::ruleTables(); }
};

}  // namespace zablab::leader_followers
