// Makes a `FamilyCheck` (contract.h) of a family's own types. Each family has, in a header in
// checker/<family>/, a `CheckOf<F>`; `HasSearch` states what it must contain, everything else below may be
// omitted, and then a model that needs it is refused.
//
//     static std::uint32_t view(config, rules, node)   what guards have to know about a process, one bit each
//     static Fires firesByDefault(TimerKind)           when a timer fires if a model does not say
//
//     struct OwnMemory, SharedMemory                   the monitors' memory: of one server, and of all
//     explicit CheckOf(cluster)                        the monitors of one thread
//     Listener<F>& listener()                          receives what an action shows of its server
//     void begin(int server, own, shared)              before the action, with the stored memories
//     Seen end()                                       after it: both memories, what was violated (one bit
//                                                      each), and whether the shared one mattered
//     memoriesOf(WorldValue<F>)                        of monitors that have seen only this initial state
//     std::vector<InvariantInfo> invariants()          by bit
//     obligations()                                    by bit
// If all monitors read one book, `BookMonitors` (book_monitors.h) provides all of these except the
// constructor and `memoriesOf`.
//
// May be omitted:
//
//     static std::vector<Millis> thresholds(config, MarkKey)
//                                                      the ages at which a node's behaviour changes: it
//                                                      receives 0 or one of them, which represents all up to
//                                                      the next. Needed where nodes mark
//
//     static constexpr std::uint32_t idle              (view) a client that waits for nothing. Without it a
//                                                      model has no `asks`
//     static constexpr std::uint32_t takes_writes      (view) a server that would take a write now
//     static Request write(n), read(n)                 the n-th request. Without them a model has no budgets
//                                                      of `writes` and `reads`
//     static Request turn(ServerId)                    without this, a model has no budget of `turns`
//     static bool connected(Node)                      a client that may ask: a model begins when all may
//     static int leaderOf(cluster, view)               the server a client has turned to, by index; -1: none
//     static bool looks(Event)                         an election begins, which `elections` counts
//     static constexpr std::uint32_t settled           (view) it has no election in progress
//     static int peerOf(cluster, view, Timer)          the node whose silence a timer measures; default: its
//                                                      peer
//     static constexpr std::array own_fires            of `Fires`: those that its own Moves decide
//     static constexpr std::array grains               of `Grain`: coarser ones that its Moves know
//     static std::optional<Link> mutedBy(Grain)        a link on which nothing is sent at that grain
//     using OwnMoves                                   what can happen next, if something about it is
//                                                      particular to the family: it derives from `Moves`
//                                                      (moves.h); a declaration is enough, except where
//                                                      `theCheck` is instantiated
//     static constexpr std::size_t links_of_servers    further links are for clients, omitted without clients
//     static constexpr std::string_view connects_at_once
//                                                      the effect of a model's `connect_at_once`, in words
//     static constexpr bool no_monitors                true: none of the above about monitors is ever used
//     static constexpr std::array requested_invariants names of those that only a model that names them has
//     static constexpr std::array state_invariants     what states show by themselves, and
//     StateVerdict judge(StoreOf<F>)                   what this state shows of them
#pragma once

#include <algorithm>
#include <concepts>
#include <type_traits>

#include "checker/check/checkpoint.h"
#include "checker/check/contract.h"
#include "checker/check/interned.h"
#include "checker/check/moves.h"
#include "checker/check/store_of.h"
#include "sim/typed.h"

namespace zablab {

template <class F>
struct CheckOf;

template <class F>
concept HasThresholds = !F::Vocabulary::has_marks || requires(const typename F::Config& config,
                                                              const typename F::Vocabulary::MarkKey& mark) {
  { CheckOf<F>::thresholds(config, mark) } -> std::same_as<std::vector<Millis>>;
};

template <class F>
concept HasSearch = requires(const typename F::Config& config, const typename F::Rules& rules,
                             const typename F::Node& node, const Cluster<F>& cluster,
                             const WorldValue<F>& value, CheckOf<F>& monitors,
                             const typename CheckOf<F>::OwnMemory& own,
                             const typename CheckOf<F>::SharedMemory& shared) {
  { CheckOf<F>::view(config, rules, node) } -> std::same_as<std::uint32_t>;
  { CheckOf<F>::firesByDefault(typename F::TimerKind{}) } -> std::same_as<Fires>;
  CheckOf<F>(cluster);
  { monitors.listener() } -> std::same_as<Listener<F>&>;
  monitors.begin(int{}, own, shared);
  { monitors.end().own } -> std::convertible_to<typename CheckOf<F>::OwnMemory>;
  { monitors.end().shared } -> std::convertible_to<typename CheckOf<F>::SharedMemory>;
  { monitors.end().violated } -> std::convertible_to<InvariantMask>;
  { monitors.end().touches_shared } -> std::convertible_to<bool>;
  {
    monitors.memoriesOf(value)
    } -> std::same_as<
        std::pair<std::vector<typename CheckOf<F>::OwnMemory>, typename CheckOf<F>::SharedMemory>>;
  { monitors.invariants() } -> std::same_as<std::vector<InvariantInfo>>;
  { monitors.obligations() } -> std::convertible_to<const std::vector<std::uint64_t>&>;
  requires HasThresholds<F>;
};

/// Requests of which a model gives only the number.
template <class F>
concept HasBudgetedRequests = requires {
  { CheckOf<F>::takes_writes } -> std::convertible_to<std::uint32_t>;
  { CheckOf<F>::idle } -> std::convertible_to<std::uint32_t>;
  { CheckOf<F>::write(std::uint32_t{}) } -> std::same_as<typename F::Request>;
  { CheckOf<F>::read(std::uint32_t{}) } -> std::same_as<typename F::Request>;
};

template <class F>
concept HasTurns = HasBudgetedRequests<F> && requires(const Cluster<F>& cluster) {
  { CheckOf<F>::turn(ServerId{}) } -> std::same_as<typename F::Request>;
  { CheckOf<F>::leaderOf(cluster, std::uint32_t{}) } -> std::same_as<int>;
};

/// Elections that begin are counted.
template <class F>
concept HasElections = requires(const typename F::Event& event) {
  { CheckOf<F>::looks(event) } -> std::same_as<bool>;
  { CheckOf<F>::settled } -> std::convertible_to<std::uint32_t>;
};

/// The monitors of `CheckOf<F>`, on values.
template <class F>
class SearchMonitorsOf : public SearchMonitors, private AnyListener {
  using Check = CheckOf<F>;

 public:
  using Own = WithoutJson<typename Check::OwnMemory>;
  using Shared = WithoutJson<typename Check::SharedMemory>;

  explicit SearchMonitorsOf(const AnyCluster& cluster)
      : cluster_(cluster.as<F>()), check_(cluster_), listener_(check_.listener()) {}

  AnyListener& listener() override { return *this; }
  void begin(int server, const Value& own, const Value& shared) override {
    check_.begin(server, own.as<Own>().value, shared.as<Shared>().value);
  }
  Seen end() override {
    auto seen = check_.end();
    return {Value(Own{std::move(seen.own)}), Value(Shared{std::move(seen.shared)}), seen.violated,
            seen.touches_shared};
  }
  std::pair<std::vector<Value>, Value> memoriesOf(const WorldValue<Any>& start) override {
    auto [owns, shared] = check_.memoriesOf(Typed<F>::world(start));
    std::vector<Value> values;
    for (auto& own : owns) values.push_back(Value(Own{std::move(own)}));
    return {std::move(values), Value(Shared{std::move(shared)})};
  }
  std::vector<InvariantInfo> invariants() const override {
    if constexpr (requires { check_.invariants(); }) return check_.invariants();
    return {};
  }
  const std::vector<std::uint64_t>& obligations() const override { return check_.obligations(); }
  StateVerdict judge(const InternedStore& store) override {
    if constexpr (requires { Check::state_invariants; }) return check_.judge(StoreOf<F>(store, cluster_));
    return {};
  }

 private:
  void on(const AnyHappened& happened) override { listener_.on(Typed<F>::happened(happened)); }

  const Cluster<F>& cluster_;
  Check check_;
  Listener<F>& listener_;
};

template <class F>
struct MovesOf {
  using Type = Moves;
};
template <class F>
requires requires { typename CheckOf<F>::OwnMoves; }
struct MovesOf<F> {
  using Type = typename CheckOf<F>::OwnMoves;
};

template <class F>
class FamilyCheckOf : public FamilyCheck {
  using Check = CheckOf<F>;
  using V = typename F::Vocabulary;

 public:
  Guards guards() const override {
    Guards guards;
    guards.elections = HasElections<F>;
    guards.asks = requires { Check::idle; };
    guards.budgeted = HasBudgetedRequests<F>;
    guards.turns = HasTurns<F>;
    guards.ages = V::has_marks;
    if constexpr (HasElections<F>) guards.settled = Check::settled;
    if constexpr (requires { Check::idle; }) guards.idle = Check::idle;
    if constexpr (HasBudgetedRequests<F>) guards.takes_writes = Check::takes_writes;
    return guards;
  }
  std::uint32_t view(const AnyCluster& cluster, int i, const Value& node) const override {
    const Cluster<F>& own = cluster.as<F>();
    return Check::view(own.configs[static_cast<std::size_t>(i)], own.rules, node.as<typename F::Node>());
  }
  int peerOf(const AnyCluster& cluster, std::uint32_t view,
             const Any::Vocabulary::Timer& timer) const override {
    if constexpr (requires { &Check::peerOf; }) {
      return Check::peerOf(cluster.as<F>(), view, Typed<F>::timerOf(timer));
    } else {
      if constexpr (std::is_same_v<typename V::TimerKey, ServerId>)
        return timer.key.server == no_server ? -1 : cluster.indexOf(timer.key.server);
      return -1;
    }
  }
  std::set<Millis> agesOf(const AnyCluster& cluster, int i, const AnyKey& mark) const override {
    std::set<Millis> ages{0};
    if constexpr (V::has_marks) {
      const auto& config = cluster.as<F>().configs[static_cast<std::size_t>(i)];
      for (const Millis threshold :
           Check::thresholds(config, Typed<F>::template keyOf<typename V::MarkKey>(mark)))
        ages.insert(threshold);
    }
    return ages;
  }
  bool looks(const Value& event) const override {
    if constexpr (HasElections<F>) return Check::looks(event.as<typename F::Event>());
    return false;
  }

  Value write(std::uint32_t n) const override {
    if constexpr (HasBudgetedRequests<F>) return Value(Check::write(n));
    return {};
  }
  Value read(std::uint32_t n) const override {
    if constexpr (HasBudgetedRequests<F>) return Value(Check::read(n));
    return {};
  }
  Value turn(ServerId server) const override {
    if constexpr (HasTurns<F>) return Value(Check::turn(server));
    return {};
  }
  int leaderOf(const AnyCluster& cluster, std::uint32_t view) const override {
    if constexpr (HasTurns<F>) return Check::leaderOf(cluster.as<F>(), view);
    return -1;
  }
  bool connectsClients() const override {
    return requires { &Check::connected; };
  }
  bool isConnected(const Value& node) const override {
    if constexpr (requires { &Check::connected; }) return Check::connected(node.as<typename F::Node>());
    return true;
  }

  Fires firesByDefault(std::uint8_t timer_kind) const override {
    return Check::firesByDefault(static_cast<typename F::TimerKind>(timer_kind));
  }
  bool knows(Fires fires) const override {
    if (fires != Fires::no_pending_votes && fires != Fires::lost_quorum) return true;
    if constexpr (requires { Check::own_fires; }) return contains(Check::own_fires, fires);
    return false;
  }
  bool knows(Grain grain) const override {
    if (grain == Grain::full) return true;
    if constexpr (requires { Check::grains; }) return contains(Check::grains, grain);
    return false;
  }
  std::optional<Link> mutedBy(Grain grain) const override {
    if constexpr (requires { Check::mutedBy(grain); }) return Check::mutedBy(grain);
    return std::nullopt;
  }
  std::string_view connectsAtOnce() const override {
    if constexpr (requires { Check::connects_at_once; }) return Check::connects_at_once;
    return "slot links connect at once";
  }
  std::optional<std::size_t> linksOfServers() const override {
    if constexpr (requires { Check::links_of_servers; }) return Check::links_of_servers;
    return std::nullopt;
  }

  std::vector<StoredType> storedTypes() const override {
    std::vector<StoredType> types;
    if constexpr (has_checkpoints) {
      addStoredType<typename F::Node>(types);
      addStoredType<typename F::Message>(types);
      addStoredType<typename F::Record>(types);
      addStoredType<typename F::Durable>(types);
      addStoredType<typename F::Request>(types);
      addStoredType<typename V::TimerKey>(types);
      addStoredType<typename V::MarkKey>(types);
      addStoredType<typename V::DurableKey>(types);
      addStoredType<typename SearchMonitorsOf<F>::Own>(types);
      addStoredType<typename SearchMonitorsOf<F>::Shared>(types);
    }
    return types;
  }

  bool hasMonitors() const override {
    return !requires { Check::no_monitors; };
  }
  std::unique_ptr<SearchMonitors> monitors(const AnyCluster& cluster) const override {
    static_assert(HasSearch<F> || requires { Check::no_monitors; });
    static_assert(F::links.size() <= Tables::links_max);
    return std::make_unique<SearchMonitorsOf<F>>(cluster);
  }
  std::span<const InvariantInfo> stateInvariants() const override {
    if constexpr (requires { Check::state_invariants; }) return Check::state_invariants;
    return {};
  }
  std::span<const std::string_view> requestedInvariants() const override {
    if constexpr (requires { Check::requested_invariants; }) return Check::requested_invariants;
    return {};
  }

  std::unique_ptr<Moves> moves(Tables& tables, const Limits& limits, const SearchWorld& world,
                               const InternedStore& store) const override {
    using OwnMoves = typename MovesOf<F>::Type;
    static_assert(std::derived_from<OwnMoves, Moves>, "include the header that defines `OwnMoves`");
    return std::make_unique<OwnMoves>(tables, limits, world, store);
  }

 private:
  template <class List, class Item>
  static bool contains(const List& list, Item item) {
    return std::find(list.begin(), list.end(), item) != list.end();
  }
};

template <class F>
const FamilyCheck& theCheck() {
  static const FamilyCheckOf<F> check;
  return check;
}

}  // namespace zablab
