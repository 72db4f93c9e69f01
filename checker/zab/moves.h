// What can happen next in a state of a search of a family built on the broadcast, besides what can happen in
// every family: elections in one step (Grain::atomic_election), election messages that are read immediately
// (Grain::settled), and timers that fire while no election message waits or once a leader has lost its
// quorum.
#pragma once

#include <optional>

#include "checker/check/moves.h"
#include "checker/zab/check.h"

namespace zablab::zab {

/// `Moves<F>` derives from it.
template <class F>
class BroadcastMoves : public BasicMoves<F, Moves<F>> {
  using Base = BasicMoves<F, Moves<F>>;
  using typename Base::Check;
  friend Base;

 public:
  using Base::Base;

  bool hasConsequences() const {
    return this->limits_.slots_connect_at_once || this->limits_.grain == Grain::settled;
  }
  std::optional<Action<F>> consequence() const {
    for (Link link = 0; link < this->tables_.cluster().links.size(); ++link) {
      if (!isSlot(this->tables_.cluster().links[link])) continue;
      const bool dials =
          this->limits_.slots_connect_at_once && this->store_.holdsAny(Relation::dialling, link);
      const bool reads = this->limits_.grain == Grain::settled && link == Check::election_link;
      if (!dials && !reads) continue;
      for (int from = 0; from < this->store_.size(); ++from) {
        for (int to = 0; to < this->store_.size(); ++to) {
          if (dials && this->world_.isDialling(link, from, to) && this->runs(from) && this->runs(to) &&
              this->reachEachOther(from, to)) {
            return Action<F>{.kind = ActionKind::dial, .link = link, .a = from, .b = to};
          }
          if (reads && this->says(to, Check::settled) && this->world_.canDeliver(link, from, to)) {
            return Action<F>{.kind = ActionKind::deliver, .link = link, .a = from, .b = to};
          }
        }
      }
    }
    return std::nullopt;
  }

 private:
  bool dialWaits(Link link, int to) const {
    return this->limits_.dials == Dials::patient && this->store_.isUp(to) &&
           !this->store_.accepts(to, link) && !this->says(to, Check::settled);
  }

  /// A server that looks may decide for itself, for another server with a better vote, and for a leader that
  /// a quorum follows: the servers that voted may have moved on since, and so may the elected one.
  template <class Visit>
  void ownSteps(Visit&& visit) {
    if (this->limits_.grain != Grain::atomic_election) return;
    const int n = this->tables_.cluster().serverCount();
    const auto looks = [&](int i) {
      return this->runs(i) && !this->says(i, Check::settled | Check::delayed);
    };
    for (int i = 0; i < n; ++i) {
      if (!looks(i)) continue;
      for (int leader = 0; leader < n; ++leader) {
        const bool possible =
            leader == i ? !this->says(i, Check::observes) : isBetter(leader, i) || isEstablished(i, leader);
        if (possible) visit(Action<F>{.kind = ActionKind::own, .a = i, .b = leader});
      }
    }
  }
  bool isBetter(int a, int b) const {
    return Check::beats(this->tables_.cluster(), this->tables_.messages[this->store_.shown(a).number],
                        this->tables_.messages[this->store_.shown(b).number]);
  }
  /// Whether a quorum has this leader, the leader included: a server that looks may join it.
  bool isEstablished(int i, int leader) const {
    std::uint64_t members = 0;
    for (int j = 0; j < this->tables_.cluster().serverCount(); ++j) {
      const bool member =
          this->runs(j) && Check::leaderOf(this->tables_.cluster(), this->store_.says(j)) == leader;
      if (member && this->reachEachOther(i, j)) members |= std::uint64_t{1} << j;
    }
    return this->runs(leader) && this->says(leader, Check::leads) &&
           Check::isQuorumTo(this->tables_.cluster(), i, members);
  }

  bool ownRule(int i, Fires when) const {
    if (when == Fires::lost_quorum) return this->says(i, Check::lost_quorum);
    for (int j = 0; j < this->store_.size(); ++j) {
      if (this->world_.canDeliver(Check::election_link, j, i)) return false;
    }
    return true;
  }
};

}  // namespace zablab::zab
