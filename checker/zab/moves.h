// What can happen next in a state of a search of a family built on the broadcast, besides what can happen in
// every family: elections in one step (Grain::atomic_election), election messages that are read immediately
// (Grain::settled), and timers that fire while no election message waits or once a leader has lost its
// quorum.
#pragma once

#include <optional>

#include "checker/check/moves.h"
#include "checker/zab/check.h"

namespace zablab::zab {

template <class F>
class BroadcastMoves : public Moves {
  using Check = CheckOf<F>;

 public:
  using Moves::Moves;

  bool hasConsequences() const override {
    return limits_.grain == Grain::settled || Moves::hasConsequences();
  }
  std::optional<NumberedAction> consequence() const override {
    for (Link link = 0; link < cluster_.links.size(); ++link) {
      if (!isSlot(cluster_.links[link])) continue;
      const bool dials = limits_.slots_connect_at_once && store_.holdsAny(Relation::dialling, link);
      const bool reads = limits_.grain == Grain::settled && link == Check::election_link;
      if (!dials && !reads) continue;
      for (int from = 0; from < store_.size(); ++from) {
        for (int to = 0; to < store_.size(); ++to) {
          if (dials && world_.isDialling(link, from, to) && runs(from) && runs(to) &&
              reachEachOther(from, to)) {
            return NumberedAction{.kind = ActionKind::dial, .link = link, .a = from, .b = to};
          }
          if (reads && says(to, Check::settled) && world_.canDeliver(link, from, to)) {
            return NumberedAction{.kind = ActionKind::deliver, .link = link, .a = from, .b = to};
          }
        }
      }
    }
    return std::nullopt;
  }

 protected:
  bool dialWaits(Link link, int to) const override {
    return limits_.dials == Dials::patient && store_.isUp(to) && !store_.accepts(to, link) &&
           !says(to, Check::settled);
  }

  /// A server that looks may decide for itself, for another server with a better vote, and for a leader that
  /// a quorum follows: the servers that voted may have moved on since, and so may the elected one.
  void listOwnSteps() override {
    if (limits_.grain != Grain::atomic_election) return;
    const int n = cluster_.serverCount();
    const auto looks = [&](int i) { return runs(i) && !says(i, Check::settled | Check::delayed); };
    for (int i = 0; i < n; ++i) {
      if (!looks(i)) continue;
      for (int leader = 0; leader < n; ++leader) {
        const bool possible =
            leader == i ? !says(i, Check::observes) : isBetter(leader, i) || isEstablished(i, leader);
        if (possible) add({.kind = ActionKind::own, .a = i, .b = leader});
      }
    }
  }

  bool ownRule(int i, Fires when) const override {
    if (when == Fires::lost_quorum) return says(i, Check::lost_quorum);
    for (int j = 0; j < store_.size(); ++j) {
      if (world_.canDeliver(Check::election_link, j, i)) return false;
    }
    return true;
  }

 private:
  const Cluster<F>& own() const { return cluster_.as<F>(); }
  const typename F::Message& shown(int i) const {
    return tables_.messages[store_.shown(i).number].template as<typename F::Message>();
  }
  bool isBetter(int a, int b) const { return Check::beats(own(), shown(a), shown(b)); }
  /// Whether a quorum has this leader, the leader included: a server that looks may join it.
  bool isEstablished(int i, int leader) const {
    std::uint64_t members = 0;
    for (int j = 0; j < cluster_.serverCount(); ++j) {
      const bool member = runs(j) && Check::leaderOf(own(), store_.says(j)) == leader;
      if (member && reachEachOther(i, j)) members |= std::uint64_t{1} << j;
    }
    return runs(leader) && says(leader, Check::leads) && Check::isQuorumTo(own(), i, members);
  }
};

}  // namespace zablab::zab
