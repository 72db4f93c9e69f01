// What can happen next in a state of a search of Leader and Followers. As for any family, but for its coarser
// grain (Grain::settled), in which these are done at once:
//
// - what a server says to itself is read. It tells it what is durable, and no happening between the two can
//   depend on whether it knows yet but by coming before the sync.
// - what comes from a generation that is over for both ends is read. Nobody does anything about it, now or
//   later.
// - a server that ends starts again, where every end may be followed by a start. Being down is like not
//   reading what is sent.
// - answers and the ends of connections are read, and who dials goes on until the other is there. A question
//   and its answer are one step, as in a model of calls. This leaves out ways on which an answer is under way
//   while something else happens; a question that is read late, or never, is there.
//
// In either grain servers that are mirror images of each other are not both let act first.
#pragma once

#include <optional>

#include "checker/check/interned.h"
#include "checker/check/moves.h"
#include "checker/check/watch.h"
#include "checker/leader_followers/check.h"
#include "protocol/overloaded.h"

namespace zablab {

template <>
class Moves<leader_followers::Family>
    : public BasicMoves<leader_followers::Family, Moves<leader_followers::Family>> {
  using F = leader_followers::Family;
  friend BasicMoves;

 public:
  using BasicMoves::BasicMoves;

  template <class Visit>
  void forEach(Spent spent, Visit&& visit) {
    const std::uint64_t mirrored = mirroredIn(spent);
    BasicMoves::forEach(spent, [&](const Move<F>& move) {
      const bool skipped =
          mirrored != 0 && !move.spends && ((mirrored >> subjectOf<F>(move.action)) & 1) != 0;
      if (!skipped) visit(move);
    });
  }

  bool hasConsequences() const { return limits_.grain == Grain::settled; }
  std::optional<Action<F>> consequence() const {
    const int n = store_.size();
    for (int i = 0; isBackAtOnce() && i < n; ++i) {
      if (!store_.isUp(i)) return Action<F>{.kind = ActionKind::start, .a = i};
    }
    for (Link link = 0; link < tables_.cluster().links.size(); ++link) {
      for (int from = 0; from < n; ++from) {
        for (int to = 0; to < n; ++to) {
          if (isReadAtOnce(link, from, to))
            return Action<F>{.kind = ActionKind::deliver, .link = link, .a = from, .b = to};
          if (world_.isDialling(link, from, to) && runs(from) && runs(to) && reachEachOther(from, to))
            return Action<F>{.kind = ActionKind::dial, .link = link, .a = from, .b = to};
        }
      }
    }
    return std::nullopt;
  }

 private:
  static constexpr Link server_link = leader_followers::server_link;

  bool dialsAreMoves() const { return limits_.grain != Grain::settled; }
  /// Being down is like not reading what is sent: where every end may be followed by a start it is so at
  /// once.
  bool isBackAtOnce() const {
    return limits_.grain == Grain::settled && limits_.of(Budget::restarts) >= limits_.of(Budget::crashes);
  }

  /// Servers, a bit each, of whom another is the mirror image, so that whatever happens to them happens to
  /// it: all but the first until the first election, and the last until one of those who were asked in it
  /// reads. Ids do not matter where ties are broken by who asks first.
  std::uint64_t mirroredIn(Spent spent) const {
    const auto& cluster = tables_.cluster();
    if (cluster.rules.tie_break != leader_followers::TieBreak::first_to_ask || store_.size() != 3) return 0;
    if (spent.of(Budget::crashes) + spent.of(Budget::partitions) + spent.of(Budget::breaks) > 0) return 0;
    for (int i = 1; i < 3; ++i) {
      const auto& node = store_.server(i).node;
      const bool fresh = node.generation == 0 && node.campaign == leader_followers::Campaign::none;
      if (!fresh || !runs(i)) return 0;
      for (int j = 0; j < 3; ++j) {
        if (!store_.isEmpty(server_link, i, j)) return 0;
      }
    }
    const auto to = [&](int i) { return store_.part(store_.layout().channel(server_link, 0, i)); };
    if (to(1) != to(2)) return 0;
    return spent.of(Budget::elections) == 0 ? 0b110 : 0b100;
  }

  /// What stands first on the wire answers something, comes from the server itself, or is a connection's end.
  bool isReadAtOnce(Link link, int from, int to) const {
    if (!world_.canDeliver(link, from, to)) return false;
    if (from == to) return true;
    const auto& first = store_.channel(link, from, to).wire.front();
    if (!first) return true;
    const auto inVain = [&](std::int64_t generation) {
      const std::int64_t reader = store_.server(to).node.generation;
      return generation < reader && (!store_.isUp(from) || store_.server(from).node.generation >= reader);
    };
    return std::visit(
        Overloaded{
            [&](const leader_followers::VoteRequest& m) { return !m.pre && inVain(m.generation); },
            [&](const leader_followers::Append& m) { return inVain(m.generation); },
            [](const leader_followers::VoteResponse&) { return true; },
            [](const leader_followers::AppendResponse&) { return true; },
            [](const leader_followers::ForwardedAnswer&) { return true; },
            [](const auto&) { return false; },
        },
        *first);
  }
};

}  // namespace zablab
