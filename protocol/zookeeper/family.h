// The family `zookeeper`: ZooKeeper's elections and broadcast with its tree of nodes built on them, and its
// clients.
#pragma once

#include <array>
#include <string_view>
#include <vector>

#include "protocol/zab/family.h"
#include "protocol/zookeeper/service.h"

namespace zablab::zookeeper {

using Txn = zab::BasicTxn<ZooKeeper>;
using Durable = zab::BasicDurable<ZooKeeper>;
using Record = zab::BasicRecord<ZooKeeper>;
using Outstanding = zab::BasicOutstanding<ZooKeeper>;
using Node = ZooKeeper::Node;
using Message = zab::BasicMessage<ZooKeeper>;
using Event = zab::BasicEvent<ZooKeeper>;
using Context = zab::BasicContext<ZooKeeper>;
using Types = zab::BasicTypes<ZooKeeper>;
using V = Vocabulary<Types>;
using Input = V::Input;
using Effects = V::Effects;

/// A server's configuration, or a client's.
struct NodeConfig : zab::Config {
  bool client = false;  ///< a client, not a server
  /// A client that does nothing by itself: it neither pings nor connects again nor registers its watches.
  bool raw = false;
  Millis container_check_ms = 60'000;  ///< how often a leader looks for nodes to delete
  bool operator==(const NodeConfig&) const = default;
};
BOOST_DESCRIBE_STRUCT(NodeConfig, (zab::Config), (client, raw, container_check_ms))

struct Family : zab::BasicFamily<ZooKeeper> {
  using Config = NodeConfig;
  using Rules = zookeeper::Rules;

  static constexpr std::string_view name = "zookeeper";
  static constexpr std::string_view text =
      "ZooKeeper as its clients see it: the tree of nodes, sessions and watches, on FastLeaderElection and "
      "ZAB";
  static constexpr std::array links{LinkSpec{"election", LinkKind::slot}, LinkSpec{"learner", LinkKind::tcp},
                                    LinkSpec{"client", LinkKind::tcp}};

  static void step(const NodeConfig&, const Rules&, Node&, const Input&, Effects&, Millis clock = 0);
  /// Whether a dial of this node on `link` succeeds now.
  static bool accepts(const Node&, Link link);
  static RuleTables<zookeeper::Rules> ruleTables() { return zookeeper::ruleTables(); }
};

}  // namespace zablab::zookeeper
