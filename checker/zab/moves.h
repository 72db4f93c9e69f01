// What can happen next in a state of a search of ZAB, beside what can in every family: elections in one step
// (Grain::atomic_election), election messages that are read at once (Grain::settled), and timers that fire
// while no election message waits or once a leader has lost its quorum.
#pragma once

#include <optional>

#include "checker/check/moves.h"
#include "checker/zab/check.h"

namespace zablab {

template <>
class Moves<zab::Family> : public BasicMoves<zab::Family, Moves<zab::Family>> {
  using F = zab::Family;
  friend BasicMoves;

 public:
  using BasicMoves::BasicMoves;

  bool hasConsequences() const { return limits_.slots_connect_at_once || limits_.grain == Grain::settled; }
  std::optional<Action<F>> consequence() const {
    for (Link link = 0; link < tables_.cluster().links.size(); ++link) {
      if (!isSlot(tables_.cluster().links[link])) continue;
      const bool dials = limits_.slots_connect_at_once && store_.holdsAny(Relation::dialling, link);
      const bool reads = limits_.grain == Grain::settled && link == Check::election_link;
      if (!dials && !reads) continue;
      for (int from = 0; from < store_.size(); ++from) {
        for (int to = 0; to < store_.size(); ++to) {
          if (dials && world_.isDialling(link, from, to) && runs(from) && runs(to) &&
              reachEachOther(from, to)) {
            return Action<F>{.kind = ActionKind::dial, .link = link, .a = from, .b = to};
          }
          if (reads && says(to, Check::settled) && world_.canDeliver(link, from, to)) {
            return Action<F>{.kind = ActionKind::deliver, .link = link, .a = from, .b = to};
          }
        }
      }
    }
    return std::nullopt;
  }

 private:
  bool dialWaits(Link link, int to) const {
    return limits_.dials == Dials::patient && store_.isUp(to) && !store_.accepts(to, link) &&
           !says(to, Check::settled);
  }

  /// A server that looks may decide for itself, for another that has something better than it, and for a
  /// leader whom a quorum follows: whoever voted may have moved on since, and so may the elected.
  template <class Visit>
  void ownSteps(Visit&& visit) {
    if (limits_.grain != Grain::atomic_election) return;
    const int n = tables_.cluster().serverCount();
    const auto looks = [&](int i) { return runs(i) && !says(i, Check::settled | Check::delayed); };
    for (int i = 0; i < n; ++i) {
      if (!looks(i)) continue;
      for (int leader = 0; leader < n; ++leader) {
        const bool possible =
            leader == i ? !says(i, Check::observes) : isBetter(leader, i) || isEstablished(i, leader);
        if (possible) visit(Action<F>{.kind = ActionKind::elect, .a = i, .b = leader});
      }
    }
  }
  bool isBetter(int a, int b) const {
    return Check::beats(tables_.cluster(), tables_.messages[store_.ballot(a).number],
                        tables_.messages[store_.ballot(b).number]);
  }
  /// A quorum has this leader, it among them: who looks may join it.
  bool isEstablished(int i, int leader) const {
    std::uint64_t members = 0;
    for (int j = 0; j < tables_.cluster().serverCount(); ++j) {
      const bool member = runs(j) && Check::leaderOf(tables_.cluster(), store_.says(j)) == leader;
      if (member && reachEachOther(i, j)) members |= std::uint64_t{1} << j;
    }
    return runs(leader) && says(leader, Check::leads) && Check::isQuorumTo(tables_.cluster(), i, members);
  }

  bool ownRule(int i, Fires when) const {
    if (when == Fires::due) return says(i, Check::due);
    for (int j = 0; j < store_.size(); ++j) {
      if (world_.canDeliver(Check::election_link, j, i)) return false;
    }
    return true;
  }
};

}  // namespace zablab
