// The family `zab`: ZooKeeper's elections and broadcast with a register built on them, and the register's
// clients.
#pragma once

#include <array>
#include <string_view>

#include "protocol/zab/family.h"
#include "protocol/zab_register/register.h"

namespace zablab::zab {

using Txn = BasicTxn<Register>;
using Snapshot = BasicSnapshot<Register>;
using Durable = BasicDurable<Register>;
using WriteSnapshot = BasicWriteSnapshot<Register>;
using WriteTxn = BasicWriteTxn<Register>;
using Record = BasicRecord<Register>;
using Outstanding = BasicOutstanding<Register>;
using Node = Register::Node;
using Snap = BasicSnap<Register>;
using Proposal = BasicProposal<Register>;
using Inform = BasicInform<Register>;
using Message = BasicMessage<Register>;
using HistoryLoaded = BasicHistoryLoaded<Register>;
using Applied = BasicApplied<Register>;
using Event = BasicEvent<Register>;
using Context = BasicContext<Register>;
using Types = BasicTypes<Register>;
using V = Vocabulary<Types>;
using Timer = V::Timer;
using Input = V::Input;
using Effects = V::Effects;

/// A server's configuration, or a client's.
struct NodeConfig : Config {
  bool client = false;  ///< a client, not a server
  bool operator==(const NodeConfig&) const = default;
};
BOOST_DESCRIBE_STRUCT(NodeConfig, (Config), (client))

/// The state that the transactions lead to in the register, from its initial state.
RegisterState stateAfter(const std::vector<Txn>& history);

struct Family : BasicFamily<Register> {
  using Config = NodeConfig;
  using Rules = zab::Rules;

  static constexpr std::string_view name = "zab";
  static constexpr std::string_view text =
      "ZooKeeper's FastLeaderElection and ZAB, with clients that write and read one value";
  static constexpr std::array links{LinkSpec{"election", LinkKind::slot}, LinkSpec{"learner", LinkKind::tcp},
                                    LinkSpec{"client", LinkKind::tcp}};

  static void step(const NodeConfig&, const Rules&, Node&, const Input&, Effects&);
  /// Whether a dial of this node on `link` succeeds now.
  static bool accepts(const Node&, Link link);
  static RuleTables<zab::Rules> ruleTables() { return zab::ruleTables(); }
};

}  // namespace zablab::zab
