// A register in the manner of Dynamo: N replicas, of which a read asks R and a write W, without a leader.
//
// The client coordinates its own requests (Dynamo, section 6.4, client-driven coordination). A coordinator on
// a server would add one message each way and one more process that can fail in between; the guarantees of
// the quorums would be the same, because a coordinator's own copy has no special status. The nodes are
// therefore replicas (homes of the value, and stand-ins) and clients, and all messages are datagrams.
#pragma once

#include <array>
#include <string_view>

#include "protocol/family_base.h"
#include "protocol/quorum_register/config.h"
#include "protocol/quorum_register/events.h"
#include "protocol/quorum_register/messages.h"
#include "protocol/quorum_register/rules.h"
#include "protocol/quorum_register/state.h"

namespace zablab::quorum_register {

struct Types {
  using Message = quorum_register::Message;
  using Record = quorum_register::Record;
  using Durable = quorum_register::Durable;
  using TimerKind = quorum_register::TimerKind;
  using Event = quorum_register::Event;
  using Request = quorum_register::Request;
};

using V = Vocabulary<Types>;
using Timer = V::Timer;
using Input = V::Input;
using Effects = V::Effects;

/// What `World` and the stores need to know about a family of protocols.
struct Family : FamilyBase<Types, Config, Rules, Node> {
  static constexpr std::string_view name = "quorum_register";
  static constexpr std::string_view text =
      "a register that a quorum of replicas keeps, in the manner of Dynamo: no leader, R, W and N";
  static constexpr std::array links{LinkSpec{"quorum", LinkKind::datagram}};

  static void step(const Config&, const Rules&, Node&, const Input&, Effects&);
  /// A process that has loaded its disk but done nothing else yet.
  static Node loaded(const Config&, const Rules&, ServerId self, const Durable&);
  /// Applies `record` to a disk.
  static void write(Durable&, const Record&);
  static RuleTables<Rules> ruleTables() { return quorum_register::ruleTables(); }
};

inline constexpr Link quorum_link = 0;

}  // namespace zablab::quorum_register
