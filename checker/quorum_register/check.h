// What an exhaustive search asks of the family beside its steps: its monitors, and what can happen next.
#pragma once

#include <array>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "checker/check/bounds.h"
#include "checker/check/interned.h"
#include "checker/check/moves.h"
#include "checker/monitor.h"
#include "checker/quorum_register/monitors.h"
#include "protocol/quorum_register/family.h"

namespace zablab {

template <>
struct CheckOf<quorum_register::Family> {
  using F = quorum_register::Family;

  // ---- what guards have to know of a process
  static constexpr std::uint32_t settled = 1;    ///< all are: nobody looks for a leader
  static constexpr std::uint32_t waits = 2;      ///< a client that is not answered yet
  static constexpr std::uint32_t has_hints = 4;  ///< a stand-in
  static std::uint32_t view(const quorum_register::Config& config, const quorum_register::Rules& rules,
                            const quorum_register::Node& node);
  static bool looks(const quorum_register::Event&) { return false; }

  // ---- monitors, and behind them one thing that a state shows
  static constexpr bool has_monitors = true;
  static constexpr std::uint32_t linearizable = 1;
  static constexpr std::uint32_t regular = 2;
  static constexpr std::uint32_t monotonic_reads = 4;
  static constexpr std::uint32_t write_quorum = 8;
  static constexpr std::uint32_t read_quorum = 16;
  static constexpr std::uint32_t replica_forward = 32;
  /// Nothing was lost, nothing is under way, everybody was answered, and no stand-in keeps anything: then all
  /// homes have the same.
  static constexpr std::uint32_t converged = 64;
  template <class Store>
  static std::uint32_t judge(const Store& store) {
    return isAtRest(store) && !isConverged(store) ? converged : 0;
  }

  using OwnMemory = quorum_register::OwnMemory;
  using SharedMemory = quorum_register::SharedMemory;
  struct Seen {
    OwnMemory own;
    SharedMemory shared;
    std::uint32_t violated = 0;
    bool touches_shared = false;
  };

  explicit CheckOf(const Cluster<F>& cluster);
  Listener<F>& listener() { return *set_; }
  void begin(int server, const OwnMemory& own, const SharedMemory& shared);
  Seen end();
  /// The memories of monitors that have seen nothing but these disks.
  std::pair<std::vector<OwnMemory>, SharedMemory> memoriesOf(const WorldValue<F>& value);
  std::vector<InvariantInfo> invariants() const;
  const std::vector<std::uint64_t>& obligations() const { return obligations_; }

 private:
  template <class Store>
  static bool isAtRest(const Store& store) {
    const Spent spent = store.spent();
    if (spent.of(Budget::breaks) > 0 || spent.of(Budget::crashes) > 0) return false;
    for (int i = 0; i < store.size(); ++i) {
      if (!store.isUp(i) || (store.says(i) & (waits | has_hints)) != 0) return false;
      for (int j = 0; j < store.size(); ++j) {
        if (!store.isEmpty(quorum_register::quorum_link, i, j)) return false;
      }
    }
    return true;
  }
  template <class Store>
  static bool isConverged(const Store& store) {
    const Cluster<F>& cluster = store.tables().cluster();
    const auto& homes = cluster.configs.front().homes;
    const auto& first = store.server(cluster.indexOf(homes.front())).node.stored;
    for (const ServerId home : homes) {
      if (store.server(cluster.indexOf(home)).node.stored != first) return false;
    }
    return true;
  }

  const Cluster<F>& cluster_;
  quorum_register::Ledger* ledger_ = nullptr;  ///< the set's
  std::unique_ptr<MonitorSet<F>> set_;
  std::vector<std::uint64_t> obligations_;
  int server_ = -1;
};

/// Datagrams arrive in any order, or are lost, or come twice; replicas end and start again; clients go
/// through their requests.
///
/// The requests are the model's list. With a budget of `asked` they are asked one after the other, each when
/// nobody waits for an answer any more; without it each client goes through its own as soon as it can. Lost
/// datagrams spend `breaks` and doubled ones `overtakes`, and how far each client is in its list is counted
/// in budgets that nothing else here needs.
template <>
class Moves<quorum_register::Family> {
 public:
  using F = quorum_register::Family;
  using Check = CheckOf<F>;
  using Store = InternedStore<F>;
  using WorldType = World<Store, IdleEnvironment<F>>;

  static constexpr std::array progress{Budget::writes, Budget::reads, Budget::turns, Budget::pauses};

  Moves(const Tables<F>& tables, const Limits<F>& limits, const WorldType& world, const Store& store)
      : tables_(tables), limits_(limits), world_(world), store_(store) {}

  template <class Visit>
  void forEach(Spent spent, Visit&& visit) const {
    bool any = false;
    forEachDatagram([&](int from, int to, std::uint32_t position) {
      if (!world_.canDeliver(quorum_register::quorum_link, from, to)) return;
      any = true;
      visit(Move<F>{at(ActionKind::deliver, from, to, position), {}});
    });
    for (int i = 0; i < store_.size(); ++i) {
      if (!store_.isUp(i) || !store_.hasUnsynced(i)) continue;
      any = true;
      visit(Move<F>{{.kind = ActionKind::sync, .a = i}, {}});
    }
    timers(spent, !any, visit);
    faults(spent, visit);
    requests(spent, visit);
  }
  bool hasConsequences() const { return false; }
  std::optional<Action<F>> consequence() const { return std::nullopt; }

 private:
  static Action<F> at(ActionKind kind, int from, int to, std::uint32_t position) {
    return {.kind = kind, .link = quorum_register::quorum_link, .a = from, .b = to, .position = position};
  }
  bool isLeft(Spent spent, Budget budget) const { return spent.of(budget) < limits_.of(budget); }

  /// `visit(from, to, position)`; of equal ones on the same way, the first.
  template <class Visit>
  void forEachDatagram(Visit&& visit) const {
    constexpr Link link = quorum_register::quorum_link;
    for (int from = 0; from < store_.size(); ++from) {
      for (int to = 0; to < store_.size(); ++to) {
        if (store_.isEmpty(link, from, to)) continue;
        const auto& wire = store_.channel(link, from, to).wire;
        for (std::size_t i = 0; i < wire.size(); ++i) {
          if (std::find(wire.begin(), wire.begin() + static_cast<std::ptrdiff_t>(i), wire[i]) ==
              wire.begin() + static_cast<std::ptrdiff_t>(i))
            visit(from, to, static_cast<std::uint32_t>(i));
        }
      }
    }
  }

  template <class Visit>
  void timers(Spent spent, bool rest, Visit&& visit) const {
    for (int i = 0; i < store_.size(); ++i) {
      if (!store_.isUp(i)) continue;
      store_.forEachTimer(i, [&](const auto& timer) {
        const Fires when = limits_.fires[static_cast<std::size_t>(timer.kind)];
        const Action<F> fire{.kind = ActionKind::fire, .a = i, .timer = timer};
        if (when == Fires::free || (when == Fires::rest && rest)) return visit(Move<F>{fire, {}});
        if (when != Fires::never && isLeft(spent, Budget::timeouts)) visit(Move<F>{fire, Budget::timeouts});
      });
    }
  }

  template <class Visit>
  void faults(Spent spent, Visit&& visit) const {
    for (const auto& [kind, budget] :
         {std::pair{ActionKind::drop, Budget::breaks}, std::pair{ActionKind::duplicate, Budget::overtakes}}) {
      if (!isLeft(spent, budget)) continue;
      forEachDatagram([&, kind = kind, budget = budget](int from, int to, std::uint32_t position) {
        visit(Move<F>{at(kind, from, to, position), budget});
      });
    }
    for (int i = 0; i < store_.size(); ++i) {
      if (!store_.isUp(i)) {
        if (isLeft(spent, Budget::restarts))
          visit(Move<F>{{.kind = ActionKind::start, .a = i}, Budget::restarts});
      } else if (isLeft(spent, Budget::crashes)) {
        for (const Ends how : limits_.ends) {
          const bool power = how == Ends::power_loss;
          visit(Move<F>{{.kind = power ? ActionKind::lose_power : ActionKind::kill,
                         .a = i,
                         .in_flight = how == Ends::kill},
                        Budget::crashes});
        }
      }
    }
  }

  template <class Visit>
  void requests(Spent spent, Visit&& visit) const {
    const int servers = tables_.cluster().serverCount();
    const auto isReady = [&](int i) { return store_.isUp(i) && (store_.says(i) & Check::waits) == 0; };
    if (limits_.of(Budget::asked) > 0) {
      if (!isLeft(spent, Budget::asked)) return;
      for (int i = servers; i < store_.size(); ++i) {
        if (store_.isUp(i) && !isReady(i)) return;
      }
      const auto& [client, request] = limits_.asks[spent.of(Budget::asked)];
      if (isReady(client)) ask(client, request, Budget::asked, visit);
      return;
    }
    for (int i = servers; i < store_.size(); ++i) {
      if (!isReady(i)) continue;
      const Budget counted = progress[static_cast<std::size_t>(i - servers)];
      std::uint32_t behind = spent.of(counted);
      for (const auto& [client, request] : limits_.asks) {
        if (client != i || behind-- > 0) continue;
        ask(i, request, counted, visit);
        break;
      }
    }
  }
  template <class Visit>
  static void ask(int client, const quorum_register::Request& request, Budget counted, Visit&& visit) {
    visit(Move<F>{{.kind = ActionKind::ask, .a = client, .request = request}, counted});
  }

  const Tables<F>& tables_;
  const Limits<F>& limits_;
  const WorldType& world_;
  const Store& store_;
};

}  // namespace zablab
