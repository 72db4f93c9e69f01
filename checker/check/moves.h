// What can happen next in a state of a search: what the protocol does by itself, the timers that may fire by
// the model's rules, the faults that its budgets still allow, and the clients' requests; always in the same
// order.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "checker/check/bounds.h"
#include "checker/check/contract.h"
#include "checker/check/interned.h"
#include "sim/idle.h"
#include "sim/world.h"

namespace zablab {

/// A search's switches, all of them.
template <class F>
struct Limits {
  Bounds bounds{};
  std::vector<Ends> ends{Ends::kill, Ends::power_loss};
  bool ends_inside_steps = true;  ///< also at a write within a step
  std::vector<Fires> fires;       ///< by kind of timer
  Dials dials = Dials::patient;
  std::uint32_t links = ~std::uint32_t{0};                ///< the links in use, one bit each
  std::vector<std::pair<int, typename F::Request>> asks;  ///< the model's list: client, by index, and request
  AskOrder asks_order = AskOrder::one_by_one;
  bool slots_connect_at_once = false;  ///< slot links between servers that reach each other are always open
  Grain grain = Grain::full;

  std::uint32_t of(Budget budget) const { return bounds[static_cast<std::size_t>(budget)]; }
};

/// One thing that can happen.
template <class F>
struct Move {
  Action<F> action;
  std::optional<Budget> spends;  ///< in addition to a crash within it
};

/// The moves that all families have, in parts. `Own` derives from it and may replace
///
///     dialWaits(link, to)    a dial of this server is not answered yet
///     dialsAreMoves()        false: they are among the consequences
///     ownSteps(visit)        further steps of the family's protocol, at no cost
///     ownRule(i, fires)      whether a timer of server i may fire by a rule of the family's own
///     hasConsequences(), consequence()   what happens immediately after the chosen move
///     forEach(spent, visit)  all of it
template <class F, class Own>
class BasicMoves {
 public:
  using Store = InternedStore<F>;
  using WorldType = World<Store, IdleEnvironment<F>>;
  using Check = CheckOf<F>;

  BasicMoves(const Tables<F>& tables, const Limits<F>& limits, const WorldType& world, const Store& store)
      : tables_(tables), limits_(limits), world_(world), store_(store) {}

  /// Calls `visit(move)` for each.
  template <class Visit>
  void forEach(Spent spent, Visit&& visit) {
    any_ = false;
    const auto freely = [&](const Action<F>& action) {
      any_ = true;
      visit(Move<F>{action, {}});
    };
    messages(freely);
    timers(freely, [this](int i, const Timer& timer) { return mayFire(i, timer, ruleOf(timer)); });
    rest_ = !any_;
    if (rest_) timers(freely, [this](int, const Timer& timer) { return ruleOf(timer) == Fires::quiescent; });
    own().ownSteps(freely);  // possible own steps do not prevent rest: they may be taken later
    if (isLeft(spent, Budget::timeouts)) timeouts(visit);
    faults(spent, visit);
    requests(spent, visit);
  }

  /// Whether a server asked the world for something. It gets the answer before anything else happens.
  bool isAwaited() const {
    for (int i = 0; i < store_.size(); ++i) {
      if (store_.awaits(i)) return true;
    }
    return false;
  }
  /// The answer to the first of those servers: for an age, each one that differs for it. Or the server ends
  /// before that.
  template <class Visit>
  void answers(Spent spent, Visit&& visit) {
    int i = 0;
    while (!store_.awaits(i)) ++i;
    if (isLeft(spent, Budget::crashes) && i < tables_.cluster().serverCount()) {
      for (const Ends how : limits_.ends) ends(i, how, visit);
    }
    if (store_.awaitsDurable(i))
      return visit(Move<F>{Action<F>{.kind = ActionKind::tell_durable, .a = i}, {}});
    const auto& asked = store_.server(i).awaited.ages.front();
    if (!asked.marked) return visit(Move<F>{Action<F>{.kind = ActionKind::tell_age, .a = i}, {}});
    for (const Millis age :
         search_of::agesOf<F>(tables_.cluster().configs[static_cast<std::size_t>(i)], asked.key))
      visit(Move<F>{Action<F>{.kind = ActionKind::tell_age, .a = i, .age = age}, {}});
  }

  /// Whether anything happens immediately after the chosen move.
  bool hasConsequences() const { return limits_.slots_connect_at_once; }
  /// The next of these consequences, if any.
  std::optional<Action<F>> consequence() const {
    for (Link link = 0; link < tables_.cluster().links.size(); ++link) {
      if (const auto dial = dialAtOnce(link)) return dial;
    }
    return std::nullopt;
  }

 protected:
  using Timer = typename F::Vocabulary::Timer;

  // ---- what a family may replace
  bool dialWaits(Link, int) const { return false; }
  bool dialsAreMoves() const { return true; }
  template <class Visit>
  void ownSteps(Visit&&) {}
  bool ownRule(int, Fires) const { return false; }

  // ---- guards
  bool says(int i, std::uint32_t what) const { return (store_.says(i) & what) != 0; }
  bool isLeft(Spent spent, Budget budget) const { return spent.of(budget) < limits_.of(budget); }
  bool runs(int i) const { return store_.isUp(i) && !store_.isPaused(i); }
  bool reachEachOther(int a, int b) const { return world_.reaches(a, b) && world_.reaches(b, a); }

  // ---- messages, connections and disks
  template <class Visit>
  void messages(Visit&& visit) {
    const int n = store_.size();
    for (Link link = 0; link < tables_.cluster().links.size(); ++link) {
      if (((limits_.links >> link) & 1) == 0) continue;
      if (tables_.cluster().links[link] == LinkKind::datagram) {
        datagrams(link, ActionKind::deliver, visit);
        continue;
      }
      const bool dials = own().dialsAreMoves() && store_.holdsAny(Relation::dialling, link);
      for (int from = 0; from < n; ++from) {
        for (int to = 0; to < n; ++to) {
          if (world_.canDeliver(link, from, to))
            visit(Action<F>{.kind = ActionKind::deliver, .link = link, .a = from, .b = to});
          if (world_.canDeliverLate(link, from, to))
            visit(Action<F>{.kind = ActionKind::deliver_late, .link = link, .a = from, .b = to});
          if (!dials || !world_.isDialling(link, from, to) || !runs(from)) continue;
          if (!reachEachOther(from, to)) {
            visit(Action<F>{.kind = ActionKind::give_up, .link = link, .a = from, .b = to});
          } else if (!own().dialWaits(link, to)) {
            visit(Action<F>{.kind = ActionKind::dial, .link = link, .a = from, .b = to});
          }
        }
      }
    }
    for (int i = 0; i < n; ++i) {
      if (runs(i) && store_.hasUnsynced(i)) visit(Action<F>{.kind = ActionKind::sync, .a = i});
    }
  }
  /// One of each group of equal messages in the same direction: the order of the wire puts them next to each
  /// other.
  template <class Visit>
  void datagrams(Link link, ActionKind kind, Visit&& visit) {
    for (int from = 0; from < store_.size(); ++from) {
      for (int to = 0; to < store_.size(); ++to) {
        if (store_.isEmpty(link, from, to)) continue;
        if (kind == ActionKind::deliver && !world_.canDeliver(link, from, to)) continue;
        const auto& wire = store_.channel(link, from, to).wire;
        for (std::size_t position = 0; position < wire.size(); ++position) {
          if (position > 0 && wire[position] == wire[position - 1]) continue;
          visit(Action<F>{.kind = kind,
                          .link = link,
                          .a = from,
                          .b = to,
                          .position = static_cast<std::uint32_t>(position)});
        }
      }
    }
  }
  /// The next dial of a slot link that succeeds without a separate move, if any.
  std::optional<Action<F>> dialAtOnce(Link link) const {
    if (!limits_.slots_connect_at_once || !isSlot(tables_.cluster().links[link]) ||
        !store_.holdsAny(Relation::dialling, link))
      return std::nullopt;
    const int n = store_.size();
    for (int from = 0; from < n; ++from) {
      for (int to = 0; to < n; ++to) {
        if (world_.isDialling(link, from, to) && runs(from) && runs(to) && reachEachOther(from, to))
          return Action<F>{.kind = ActionKind::dial, .link = link, .a = from, .b = to};
      }
    }
    return std::nullopt;
  }

  // ---- timers
  template <class Visit, class Which>
  void timers(Visit&& visit, Which&& which) {
    for (int i = 0; i < store_.size(); ++i) {
      if (!runs(i)) continue;
      store_.forEachTimer(i, [&](const Timer& timer) {
        if (which(i, timer)) visit(Action<F>{.kind = ActionKind::fire, .a = i, .timer = timer});
      });
    }
  }
  template <class Visit>
  void timeouts(Visit&& visit) {
    timers(
        [&](const Action<F>& action) {
          visit(Move<F>{action, Budget::timeouts});
        },
        [this](int i, const Timer& timer) {
          const Fires when = ruleOf(timer);
          const bool for_nothing = mayFire(i, timer, when) || (when == Fires::quiescent && rest_);
          return when != Fires::never && when != Fires::lost_quorum && !for_nothing;
        });
  }
  Fires ruleOf(const Timer& timer) const { return limits_.fires[static_cast<std::size_t>(timer.kind)]; }
  bool mayFire(int i, const Timer& timer, Fires when) const {
    switch (when) {
      case Fires::free: return true;
      case Fires::peer_unreachable:
        return isGone(i, search_of::peerOf<F>(tables_.cluster(), store_.says(i), timer));
      case Fires::no_pending_votes:
      case Fires::lost_quorum: return own().ownRule(i, when);
      case Fires::never:
      case Fires::budgeted:
      case Fires::quiescent: return false;
    }
    return false;
  }
  bool isGone(int i, int peer) const {
    if (peer < 0) return false;
    if (runs(peer) && reachEachOther(i, peer)) return false;
    for (Link link = 0; link < tables_.cluster().links.size(); ++link) {
      if (world_.canDeliver(link, peer, i)) return false;
    }
    return true;
  }

  // ---- faults
  template <class Visit>
  void faults(Spent spent, Visit&& visit) {
    const int n = tables_.cluster().serverCount();
    const auto left = [&](Budget budget) { return isLeft(spent, budget); };
    for (int i = 0; i < n; ++i) {
      if (tables_.cluster().scripted[static_cast<std::size_t>(i)]) continue;
      if (!store_.isUp(i)) {
        if (left(Budget::restarts))
          visit(Move<F>{Action<F>{.kind = ActionKind::start, .a = i}, Budget::restarts});
      } else if (left(Budget::crashes)) {
        for (const Ends how : limits_.ends) ends(i, how, visit);
      }
      if (store_.isUp(i) && store_.isPaused(i)) {
        visit(Move<F>{Action<F>{.kind = ActionKind::resume, .a = i}, {}});
      } else if (left(Budget::pauses) && runs(i)) {
        visit(Move<F>{Action<F>{.kind = ActionKind::pause, .a = i}, Budget::pauses});
      }
      if (left(Budget::disk_errors) && runs(i) && store_.hasUnsynced(i))
        visit(Move<F>{Action<F>{.kind = ActionKind::fail_write, .a = i}, Budget::disk_errors});
    }
    if (left(Budget::overtakes)) overtakes(visit);
    if (left(Budget::breaks)) breaks(visit);
    for (const auto& [budget, kind] :
         {std::pair{Budget::drops, ActionKind::drop}, {Budget::duplicates, ActionKind::duplicate}}) {
      if (left(budget)) spoil(kind, budget, visit);
    }
    for (int a = 0; a < n; ++a) {
      for (int b = a + 1; b < n; ++b) {
        if (!reachEachOther(a, b)) {
          visit(Move<F>{Action<F>{.kind = ActionKind::heal, .a = a, .b = b}, {}});
        } else if (left(Budget::partitions)) {
          visit(Move<F>{Action<F>{.kind = ActionKind::cut, .a = a, .b = b}, Budget::partitions});
        }
      }
    }
  }

  template <class Visit>
  void ends(int i, Ends how, Visit&& visit) {
    const bool power = how == Ends::power_loss || how == Ends::partial_power_loss;
    Action<F> action{
        .kind = power ? ActionKind::lose_power : ActionKind::kill, .a = i, .in_flight = how == Ends::kill};
    if (how != Ends::partial_power_loss) return visit(Move<F>{action, Budget::crashes});
    for (action.unsynced = 1; action.unsynced <= store_.unsynced(i); ++action.unsynced)
      visit(Move<F>{action, Budget::crashes});
  }

  template <class Visit>
  void breaks(Visit&& visit) {
    for (Link link = 0; link < tables_.cluster().links.size(); ++link) {
      if (((limits_.links >> link) & 1) == 0 || tables_.cluster().links[link] != LinkKind::tcp) continue;
      for (int a = 0; a < store_.size(); ++a) {
        for (int b = a + 1; b < store_.size(); ++b) {
          if (!world_.isOpen(link, a, b)) continue;
          for (const bool in_flight : {true, false}) {
            visit(Move<F>{
                Action<F>{.kind = ActionKind::disrupt, .link = link, .a = a, .b = b, .in_flight = in_flight},
                Budget::breaks});
          }
        }
      }
    }
  }

  /// Datagrams are lost, or arrive twice.
  template <class Visit>
  void spoil(ActionKind kind, Budget budget, Visit&& visit) {
    for (Link link = 0; link < tables_.cluster().links.size(); ++link) {
      if (tables_.cluster().links[link] != LinkKind::datagram) continue;
      datagrams(link, kind, [&](const Action<F>& action) {
        if (action.a != action.b) visit(Move<F>{action, budget});
      });
    }
  }

  template <class Visit>
  void overtakes(Visit&& visit) {
    for (Link link = 0; link < tables_.cluster().links.size(); ++link) {
      for (int from = 0; from < store_.size(); ++from) {
        for (int to = 0; to < store_.size(); ++to) {
          if (!world_.canOvertake(link, from, to)) continue;
          visit(Move<F>{Action<F>{.kind = ActionKind::overtake, .link = link, .a = from, .b = to},
                        Budget::overtakes});
        }
      }
    }
  }

  // ---- requests
  template <class Visit>
  void requests(Spent spent, Visit&& visit) {
    bool listed = false;
    if constexpr (requires { Check::idle; }) {
      listed = !limits_.asks.empty();
      if (listed && limits_.asks_order == AskOrder::one_by_one) nextOfAll(spent, visit);
      if (listed && limits_.asks_order == AskOrder::per_client) nextOfEach(spent, visit);
    }
    if constexpr (HasBudgetedRequests<F>) {
      if (!listed) budgeted(spent, visit);
    }
    if constexpr (HasTurns<F>) {
      if (isLeft(spent, Budget::turns)) turns(visit);
    }
  }

  /// The next request of the model's list, once no client waits for an answer.
  template <class Visit>
  void nextOfAll(Spent spent, Visit&& visit) {
    if (!isLeft(spent, Budget::asked)) return;
    for (int i = tables_.cluster().serverCount(); i < store_.size(); ++i) {
      if (!says(i, Check::idle)) return;
    }
    const auto& [client, request] = limits_.asks[spent.of(Budget::asked)];
    visit(Move<F>{Action<F>{.kind = ActionKind::ask, .a = client, .request = request}, Budget::asked});
  }

  /// The next request of each client that waits for nothing.
  template <class Visit>
  void nextOfEach(Spent spent, Visit&& visit) {
    const int servers = tables_.cluster().serverCount();
    for (int i = servers; i < store_.size(); ++i) {
      if (!says(i, Check::idle)) continue;
      std::uint32_t before = spent.askedOf(i - servers);
      for (const auto& [client, request] : limits_.asks) {
        if (client != i || before-- > 0) continue;
        visit(Move<F>{Action<F>{.kind = ActionKind::ask, .a = i, .request = request}, Budget::asked});
        break;
      }
    }
  }

  /// Clients make requests, one at a time. If there are no clients, requests are made to servers that take
  /// writes.
  template <class Visit>
  void budgeted(Spent spent, Visit&& visit) {
    const int servers = tables_.cluster().serverCount();
    const std::uint32_t number = spent.of(Budget::writes) + spent.of(Budget::reads) + 1;
    const auto ask = [&](int i, const typename F::Request& request, Budget budget) {
      visit(Move<F>{Action<F>{.kind = ActionKind::ask, .a = i, .request = request}, budget});
    };
    const bool write = isLeft(spent, Budget::writes);
    for (int i = store_.size() == servers && write ? 0 : servers; i < store_.size(); ++i) {
      if (!runs(i)) continue;
      if (write && says(i, Check::takes_writes)) ask(i, Check::write(number), Budget::writes);
      if (isLeft(spent, Budget::reads) && says(i, Check::idle)) ask(i, Check::read(number), Budget::reads);
    }
  }

  /// A client turns to another server, at any time.
  template <class Visit>
  void turns(Visit&& visit) {
    const int servers = tables_.cluster().serverCount();
    for (int i = servers; i < store_.size(); ++i) {
      if (!runs(i)) continue;
      for (int to = 0; to < servers; ++to) {
        if (to == Check::leaderOf(tables_.cluster(), store_.says(i))) continue;
        const auto request = Check::turn(tables_.cluster().ids[static_cast<std::size_t>(to)]);
        visit(Move<F>{Action<F>{.kind = ActionKind::ask, .a = i, .request = request}, Budget::turns});
      }
    }
  }

  const Tables<F>& tables_;
  const Limits<F>& limits_;
  const WorldType& world_;
  const Store& store_;
  bool any_ = false;   ///< something can happen that is not a fault
  bool rest_ = false;  ///< nothing could happen, except own steps and timers that fire only at rest

 private:
  Own& own() { return static_cast<Own&>(*this); }
  const Own& own() const { return static_cast<const Own&>(*this); }
};

/// The moves of a family that does not define any itself.
template <class F>
class Moves : public BasicMoves<F, Moves<F>> {
  friend BasicMoves<F, Moves<F>>;

 public:
  using BasicMoves<F, Moves<F>>::BasicMoves;
};

}  // namespace zablab
