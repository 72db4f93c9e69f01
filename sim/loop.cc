#include "sim/loop.h"

#include <algorithm>
#include <string>
#include <utility>

namespace zablab {
namespace {

/// The state without the order of datagrams, which have none.
WorldValue<Any> inOrder(const AnyCluster& cluster, WorldValue<Any> value) {
  const std::size_t pairs = value.servers.size() * value.servers.size();
  if (value.channels.size() != pairs * cluster.links.size()) return value;  // of many nodes
  for (std::size_t i = 0; i < value.channels.size(); ++i) {
    if (cluster.links[i / pairs] == LinkKind::datagram) putInOrder(value.channels[i].wire);
  }
  return value;
}

}  // namespace

LoopWatch::LoopWatch(const AnyCluster& cluster, const LoopSpec& spec, const JsonValue& place)
    : cluster_(cluster) {
  if (spec.without) without_.emplace(cluster, *spec.without, *place.find("without"));
}

bool LoopWatch::atBegin(const DirectStore<Any>& store) {
  afterAction(store);
  WorldValue<Any> now = inOrder(cluster_, store.value());
  if (!begin_) {
    begin_ = std::move(now);
    return true;
  }
  ++rounds_;
  const bool same = now == *begin_;
  returns_ = returns_ && same;
  return same;
}

}  // namespace zablab
