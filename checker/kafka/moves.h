// What can happen next in a state of a search of Kafka. As for any family; at Grain::settled behaviours are
// left out:
//
// - ZooKeeper's server syncs and acknowledges its log immediately;
// - what it sends to brokers and clients, replies, notifications and the ends of connections, is read
//   immediately;
// - dials succeed as soon as the other process is there.
//
// Requests to ZooKeeper, and those of controllers, replicas and clients, are read at any time in every grain.
// What a process that is paused or cut off does not read immediately remains on the way.
#pragma once

#include <optional>

#include "checker/check/moves.h"
#include "checker/kafka/check.h"

namespace zablab {

class KafkaMoves : public Moves {
  using F = kafka::Family;

 public:
  using Moves::Moves;

  bool hasConsequences() const override {
    return limits_.grain == Grain::settled || Moves::hasConsequences();
  }
  std::optional<NumberedAction> consequence() const override {
    if (limits_.grain != Grain::settled) return Moves::consequence();
    for (int i = 0; i < store_.size(); ++i) {
      if (isStore(i) && runs(i)) {
        if (const auto own = ofStore(i)) return own;
      }
    }
    return Moves::consequence();
  }

 private:
  bool dialsAreMoves() const override { return limits_.grain != Grain::settled; }

  bool isStore(int i) const {
    return cluster_.as<F>().configs[static_cast<std::size_t>(i)].kind == kafka::NodeKind::zookeeper;
  }

  std::optional<NumberedAction> ofStore(int store) const {
    if (store_.hasUnsynced(store)) return NumberedAction{.kind = ActionKind::sync, .a = store};
    if (world_.canDeliver(zab::learner_link, store, store))
      return NumberedAction{.kind = ActionKind::deliver, .link = zab::learner_link, .a = store, .b = store};
    constexpr Link link = zookeeper::client_link;
    for (int to = 0; to < store_.size(); ++to) {
      if (world_.canDeliver(link, store, to))
        return NumberedAction{.kind = ActionKind::deliver, .link = link, .a = store, .b = to};
      if (world_.isDialling(link, to, store) && runs(to) && reachEachOther(to, store))
        return NumberedAction{.kind = ActionKind::dial, .link = link, .a = to, .b = store};
    }
    return std::nullopt;
  }
};

}  // namespace zablab
