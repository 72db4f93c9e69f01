// What an exhaustive search asks of a family beside its steps: `CheckOf<F>`, specialised in
// checker/<family>/check.h. `HasSearch` says what has to be in it; everything else below may be left out, and
// then a model that needs it is refused. What can happen next is `Moves<F>` (checker/check/moves.h), which a
// family specialises only for what it has of its own.
//
//     static std::uint32_t view(config, rules, node)   what guards have to know of a process, a bit each
//     static Fires firesByDefault(TimerKind)           when a timer fires where a model does not say
//
//     struct OwnMemory, SharedMemory                   of the monitors: of one server, and of all
//     explicit CheckOf(cluster)                        the monitors of one thread
//     Listener<F>& listener()                          told of what an action shows of its server
//     void begin(int server, own, shared)              before it, with what was remembered
//     Seen end()                                       and after: both memories, what was violated (a bit
//                                                      each), and whether the shared one mattered
//     memoriesOf(WorldValue<F>)                        of monitors that have seen this beginning alone
//     std::vector<InvariantInfo> invariants()          by bit
//     obligations()                                    by bit
// Where the monitors read one book, `SearchMonitors` (search_monitors.h) has all of these but the constructor
// and `memoriesOf`.
//
// May be left out:
//
//     static std::vector<Millis> thresholds(config, MarkKey)
//                                                      the ages at which a node does something else: it is
//                                                      told 0 or one of them, which stands for all up to the
//                                                      next. Needed where nodes mark
//
//     static constexpr std::uint32_t idle              (view) a client that waits for nothing. Without it a
//                                                      model has no `asks`
//     static constexpr std::uint32_t takes_writes      (view) whoever would take a write now
//     static Request write(n), read(n)                 the n-th request. Without them a model has no budgets
//                                                      of `writes` and `reads`
//     static Request turn(ServerId)                    and without this one, none of `turns`
//     static int leaderOf(cluster, view)               to whom a client has turned, by index; -1: to nobody
//     static bool looks(Event)                         an election begins, which `elections` counts
//     static constexpr std::uint32_t settled           (view) it has no election under way
//     static int peerOf(cluster, view, Timer)          whose silence a timer measures; by default its peer's
//     static constexpr std::array own_fires            of `Fires`: what its own Moves decide
//     static constexpr std::array grains               of `Grain`: coarser ones that its Moves know
//     static std::optional<Link> mutedBy(Grain)        a link on which nothing is said at that grain
//     static constexpr std::size_t links_of_servers    links beyond are for clients, and left out without
//     static constexpr bool no_monitors                true: none of the above about monitors is ever asked
//     std::uint32_t judge(store)                       what a state violates by itself, a bit each: those of
//                                                      `state_invariants`, behind the monitors'
#pragma once

#include <algorithm>
#include <concepts>
#include <optional>
#include <set>
#include <type_traits>
#include <utility>
#include <vector>

#include "checker/check/bounds.h"
#include "checker/check/tables.h"
#include "checker/monitor.h"

namespace zablab {

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
  { monitors.end().violated } -> std::convertible_to<std::uint32_t>;
  { monitors.end().touches_shared } -> std::convertible_to<bool>;
  {
    monitors.memoriesOf(value)
    } -> std::same_as<
        std::pair<std::vector<typename CheckOf<F>::OwnMemory>, typename CheckOf<F>::SharedMemory>>;
  { monitors.invariants() } -> std::same_as<std::vector<InvariantInfo>>;
  { monitors.obligations() } -> std::convertible_to<const std::vector<std::uint64_t>&>;
  requires HasThresholds<F>;
};

/// Requests of which a model says only how many there are.
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

namespace search_of {

template <class F>
bool looks(const typename F::Event& event) {
  if constexpr (HasElections<F>) return CheckOf<F>::looks(event);
  return false;
}

template <class F>
int peerOf(const Cluster<F>& cluster, std::uint32_t view, const typename F::Vocabulary::Timer& timer) {
  if constexpr (requires { &CheckOf<F>::peerOf; }) {
    return CheckOf<F>::peerOf(cluster, view, timer);
  } else {
    if constexpr (std::is_same_v<typename F::Vocabulary::TimerKey, ServerId>)
      return timer.key == no_server ? -1 : cluster.indexOf(timer.key);
    return -1;
  }
}

/// The ages that stand for all that a node may be told: the lowest of each span between two thresholds.
template <class F>
std::set<Millis> agesOf(const typename F::Config& config, const typename F::Vocabulary::MarkKey& mark) {
  std::set<Millis> ages{0};
  if constexpr (F::Vocabulary::has_marks) {
    for (const Millis threshold : CheckOf<F>::thresholds(config, mark)) ages.insert(threshold);
  }
  return ages;
}

template <class F>
bool knows(Fires fires) {
  if (fires != Fires::no_pending_votes && fires != Fires::lost_quorum) return true;
  if constexpr (requires { CheckOf<F>::own_fires; }) {
    const auto& own = CheckOf<F>::own_fires;
    return std::find(own.begin(), own.end(), fires) != own.end();
  }
  return false;
}

template <class F>
bool knows(Grain grain) {
  if (grain == Grain::full) return true;
  if constexpr (requires { CheckOf<F>::grains; }) {
    const auto& own = CheckOf<F>::grains;
    return std::find(own.begin(), own.end(), grain) != own.end();
  }
  return false;
}

template <class F>
constexpr bool hasMonitors() {
  return !requires { CheckOf<F>::no_monitors; };
}

template <class F>
std::optional<Link> mutedBy(Grain grain) {
  if constexpr (requires { CheckOf<F>::mutedBy(grain); }) return CheckOf<F>::mutedBy(grain);
  return std::nullopt;
}

template <class F, class Store>
std::uint32_t judge(CheckOf<F>& monitors, const Store& store) {
  if constexpr (requires { monitors.judge(store); }) return monitors.judge(store);
  return 0;
}

}  // namespace search_of
}  // namespace zablab
