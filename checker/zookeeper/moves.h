// What can happen next in a state of a search of ZooKeeper. As for the broadcast; clients, too, stand still
// and go on.
#pragma once

#include "checker/zab/moves.h"
#include "checker/zookeeper/check.h"

namespace zablab {

class ZookeeperMoves : public zab::BroadcastMoves<zookeeper::Family> {
 public:
  using BroadcastMoves::BroadcastMoves;

 private:
  /// Clients, too, stand still and go on: what they believe meanwhile counts.
  void listAll(Spent spent) override {
    BroadcastMoves::listAll(spent);
    for (int i = cluster_.serverCount(); i < store_.size(); ++i) {
      if (store_.isPaused(i)) {
        add({.kind = ActionKind::resume, .a = i});
      } else if (isLeft(spent, Budget::pauses) && runs(i)) {
        add({.kind = ActionKind::pause, .a = i}, Budget::pauses);
      }
    }
  }
};

}  // namespace zablab
