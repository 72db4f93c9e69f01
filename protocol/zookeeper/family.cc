#include "protocol/zookeeper/family.h"

#include "protocol/zab/step_impl.h"
#include "protocol/zookeeper/client.h"

namespace zablab::zab {

template struct BasicFamily<zookeeper::ZooKeeper>;
template void propose<zookeeper::ZooKeeper>(const BasicContext<zookeeper::ZooKeeper>&,
                                            const zookeeper::Proposed&);

}  // namespace zablab::zab

namespace zablab::zookeeper {

std::optional<Payload> ZooKeeper::prepare(const Rules& rules, const Tree& tree,
                                          const std::vector<Outstanding>& outstanding,
                                          const Proposed& proposed) {
  std::vector<const Payload*> payloads;
  for (const Outstanding& one : outstanding) payloads.push_back(&one.txn.payload);
  return zookeeper::prepare(rules, tree, payloads, proposed);
}

void Family::step(const NodeConfig& config, const Rules& rules, Node& node, const Input& input, Effects& out,
                  Millis clock) {
  if (config.client) return stepClient(config, {config, rules, node, out}, input);
  stepServer(config, rules, node, input, out, clock);
}

bool Family::accepts(const Node& node, Link link) {
  if (node.client) return link == client_link && node.client->resource;
  return link == client_link ? node.serves() || node.read_only : acceptsServer(node, link);
}

}  // namespace zablab::zookeeper
