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
class Moves<leader_followers::Family> {
 public:
  using F = leader_followers::Family;
  using Check = CheckOf<F>;
  using Store = InternedStore<F>;
  using WorldType = World<Store, IdleEnvironment<F>>;

  Moves(const Tables<F>& tables, const Limits<F>& limits, const WorldType& world, const Store& store)
      : tables_(tables), limits_(limits), world_(world), store_(store) {}

  /// Calls `visit(move)` for each.
  template <class Visit>
  void forEach(Spent spent, Visit&& visit) {
    any_ = false;
    const std::uint64_t mirrored = mirroredIn(spent);
    const auto freely = [&](const Action<F>& action) {
      any_ = true;
      if (((mirrored >> subjectOf<F>(action)) & 1) == 0) visit(Move<F>{action, {}});
    };
    messages(freely);
    timers(freely, [this](int i, const Timer& timer) { return mayFire(i, timer); });
    if (!any_) timers(freely, [this](int, const Timer& timer) { return ruleOf(timer) == Fires::rest; });
    if (isLeft(spent, Budget::timeouts)) {
      timers(
          [&](const Action<F>& action) {
            visit(Move<F>{action, Budget::timeouts});
          },
          [this](int, const Timer& timer) { return ruleOf(timer) == Fires::paid; });
    }
    faults(spent, visit);
    requests(spent, visit);
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
  using Timer = F::Vocabulary::Timer;
  static constexpr Link server_link = leader_followers::server_link;

  bool isLeft(Spent spent, Budget budget) const { return spent.of(budget) < limits_.of(budget); }
  /// Being down is like not reading what is sent: where every end may be followed by a start it is so at
  /// once.
  bool isBackAtOnce() const {
    return limits_.grain == Grain::settled && limits_.of(Budget::restarts) >= limits_.of(Budget::crashes);
  }
  bool runs(int i) const { return store_.isUp(i) && !store_.isPaused(i); }
  bool reachEachOther(int a, int b) const { return world_.reaches(a, b) && world_.reaches(b, a); }

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

  template <class Visit>
  void messages(Visit&& visit) {
    const int n = store_.size();
    for (Link link = 0; link < tables_.cluster().links.size(); ++link) {
      if (((limits_.links >> link) & 1) == 0) continue;
      const bool dials = store_.holdsAny(Relation::dialling, link);
      for (int from = 0; from < n; ++from) {
        for (int to = 0; to < n; ++to) {
          if (world_.canDeliver(link, from, to))
            visit(Action<F>{.kind = ActionKind::deliver, .link = link, .a = from, .b = to});
          if (!dials || !world_.isDialling(link, from, to) || !runs(from)) continue;
          if (limits_.grain == Grain::settled) continue;
          const bool reaches = reachEachOther(from, to);
          visit(Action<F>{
              .kind = reaches ? ActionKind::dial : ActionKind::give_up, .link = link, .a = from, .b = to});
        }
      }
    }
    for (int i = 0; i < n; ++i) {
      if (runs(i) && store_.hasUnsynced(i)) visit(Action<F>{.kind = ActionKind::sync, .a = i});
    }
  }

  template <class Visit, class Which>
  void timers(Visit&& visit, Which&& which) {
    for (int i = 0; i < store_.size(); ++i) {
      if (!runs(i)) continue;
      store_.forEachTimer(i, [&](const Timer& timer) {
        if (which(i, timer)) visit(Action<F>{.kind = ActionKind::fire, .a = i, .timer = timer});
      });
    }
  }
  Fires ruleOf(const Timer& timer) const { return limits_.fires[static_cast<std::size_t>(timer.kind)]; }
  bool mayFire(int i, const Timer& timer) const {
    const Fires when = ruleOf(timer);
    if (when != Fires::gone) return when == Fires::free;
    const int peer = Check::peerOf(tables_.cluster(), store_.says(i), timer);
    if (peer < 0 || (runs(peer) && reachEachOther(i, peer))) return false;
    for (Link link = 0; link < tables_.cluster().links.size(); ++link) {
      if (world_.canDeliver(link, peer, i)) return false;
    }
    return true;
  }

  template <class Visit>
  void faults(Spent spent, Visit&& visit) {
    const int n = tables_.cluster().serverCount();
    for (int i = 0; i < n; ++i) {
      if (!store_.isUp(i)) {
        if (isLeft(spent, Budget::restarts))
          visit(Move<F>{Action<F>{.kind = ActionKind::start, .a = i}, Budget::restarts});
        continue;
      }
      if (isLeft(spent, Budget::crashes)) {
        for (const Ends how : limits_.ends) {
          const bool power = how == Ends::power_loss || how == Ends::partial_power_loss;
          visit(Move<F>{Action<F>{.kind = power ? ActionKind::lose_power : ActionKind::kill,
                                  .a = i,
                                  .in_flight = how == Ends::kill},
                        Budget::crashes});
        }
      }
    }
    for (int a = 0; a < n; ++a) {
      for (int b = a + 1; b < n; ++b) {
        if (!reachEachOther(a, b)) {
          visit(Move<F>{Action<F>{.kind = ActionKind::heal, .a = a, .b = b}, {}});
        } else if (isLeft(spent, Budget::partitions)) {
          visit(Move<F>{Action<F>{.kind = ActionKind::cut, .a = a, .b = b}, Budget::partitions});
        }
        if (!isLeft(spent, Budget::breaks) || !world_.isOpen(server_link, a, b)) continue;
        for (const bool in_flight : {true, false}) {
          visit(Move<F>{
              Action<F>{
                  .kind = ActionKind::disrupt, .link = server_link, .a = a, .b = b, .in_flight = in_flight},
              Budget::breaks});
        }
      }
    }
  }

  /// Clients ask, one thing at a time. Where there are none, who leads is asked itself.
  template <class Visit>
  void requests(Spent spent, Visit&& visit) {
    const int servers = tables_.cluster().serverCount();
    const bool none = store_.size() == servers;
    const std::uint32_t number = spent.of(Budget::writes) + spent.of(Budget::reads) + 1;
    const auto ask = [&](int i, const F::Request& request, Budget budget) {
      visit(Move<F>{Action<F>{.kind = ActionKind::ask, .a = i, .request = request}, budget});
    };
    for (int i = none ? 0 : servers; i < store_.size(); ++i) {
      if (!runs(i)) continue;
      const std::uint32_t says = store_.says(i);
      if (isLeft(spent, Budget::writes) && (says & Check::takes_writes) != 0)
        ask(i, Check::write(number), Budget::writes);
      if (isLeft(spent, Budget::reads) && (says & Check::takes_reads) != 0)
        ask(i, Check::read(number), Budget::reads);
      if (none || !isLeft(spent, Budget::turns)) continue;
      for (int to = 0; to < servers; ++to) {
        if (to != Check::leaderOf(tables_.cluster(), says))
          ask(i, Check::turn(tables_.cluster().ids[static_cast<std::size_t>(to)]), Budget::turns);
      }
    }
  }

  const Tables<F>& tables_;
  const Limits<F>& limits_;
  const WorldType& world_;
  const Store& store_;
  bool any_ = false;  ///< something can happen that is no fault
};

}  // namespace zablab
