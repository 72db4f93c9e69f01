// What an exhaustive search requires of a family besides its steps: `CheckOf<F>`, specialised in
// checker/<family>/check.h. `HasSearch` states what it must contain; everything else below may be omitted,
// and then a model that needs it is refused. What can happen next is defined by `Moves<F>`
// (checker/check/moves.h), which a family specialises only for what is particular to it.
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
// If all monitors read one book, `SearchMonitors` (search_monitors.h) provides all of these except the
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
//     static constexpr std::size_t links_of_servers    further links are for clients, omitted without clients
//     static constexpr bool no_monitors                true: none of the above about monitors is ever used
//     static constexpr std::array state_invariants     what states show by themselves, and
//     StateVerdict judge(store)                        what this state shows of them
#pragma once

#include <algorithm>
#include <concepts>
#include <optional>
#include <set>
#include <type_traits>
#include <utility>
#include <vector>

#include "checker/check/bounds.h"
#include "checker/check/options.h"
#include "checker/check/tables.h"
#include "checker/monitor.h"

namespace zablab {

/// What a state shows of a family's `state_invariants`: one bit each, in the order of that list.
struct StateVerdict {
  InvariantMask judged = 0;
  InvariantMask violated = 0;

  void note(std::size_t which, bool holds) {
    judged |= InvariantMask{1} << which;
    if (!holds) violated |= InvariantMask{1} << which;
  }
};

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

/// The ages that represent all that a node may receive: the lowest of each span between two thresholds.
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

}  // namespace search_of
}  // namespace zablab
