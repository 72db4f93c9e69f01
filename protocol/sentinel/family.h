// Redis Sentinel as the engines see it: its types, its links and its one step function.
//
// Redis servers replicate asynchronously from a master. Sentinels watch them; when a quorum of sentinels sees
// the master down, one that a majority votes for makes a replica the new master and publishes this with the
// epoch of its election. Clients ask a sentinel where the master is, and write there.
#pragma once

#include <array>
#include <string_view>

#include "protocol/family_base.h"
#include "protocol/sentinel/config.h"
#include "protocol/sentinel/events.h"
#include "protocol/sentinel/messages.h"
#include "protocol/sentinel/rules.h"
#include "protocol/sentinel/state.h"

namespace zablab::sentinel {

struct Types {
  using Message = sentinel::Message;
  using Record = sentinel::Record;
  using Durable = sentinel::Durable;
  using TimerKind = sentinel::TimerKind;
  using Event = sentinel::Event;
  using Request = sentinel::Request;
  using MarkKey = sentinel::MarkKey;
};

using V = Vocabulary<Types>;
using Timer = V::Timer;
using Input = V::Input;
using Effects = V::Effects;

struct Family : FamilyBase<Types, Config, Rules, Node> {
  static constexpr std::string_view name = "sentinel";
  static constexpr std::string_view text =
      "Redis Sentinel: sentinels that elect a leader for a failover, Redis servers, and clients that write "
      "and read";
  static constexpr std::array links{
      LinkSpec{"sentinel", LinkKind::tcp}, LinkSpec{"hello", LinkKind::datagram},
      LinkSpec{"replication", LinkKind::tcp}, LinkSpec{"client", LinkKind::tcp}};

  /// A process that has loaded its disk but done nothing else yet.
  static Node loaded(const Config&, const Rules&, ServerId self, const Durable&);
  static void step(const Config&, const Rules&, Node&, const Input&, Effects&);
  /// Applies `record` to a disk.
  static void write(Durable&, const Record&);
  /// Whether a dial of this node on `link` succeeds now.
  static bool accepts(const Node&, Link link);
  static RuleTables<Rules> ruleTables() { return sentinel::ruleTables(); }
};

}  // namespace zablab::sentinel
