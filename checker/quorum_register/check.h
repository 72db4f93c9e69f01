// What an exhaustive search requires of the family besides its steps. What can happen next is the same as in
// every family (checker/check/moves.h).
#pragma once

#include <array>
#include <utility>
#include <vector>

#include "checker/check/book_monitors.h"
#include "checker/check/check_of.h"
#include "checker/quorum_register/monitors.h"
#include "protocol/quorum_register/family.h"

namespace zablab {

template <>
struct CheckOf<quorum_register::Family>
    : BookMonitors<quorum_register::Family, quorum_register::Ledger, &quorum_register::monitorsWith> {
  using F = quorum_register::Family;
  using BookMonitors::BookMonitors;

  // ---- what guards have to know about a process
  static constexpr std::uint32_t idle = 1;       ///< it waits for no answer; replicas never do
  static constexpr std::uint32_t has_hints = 2;  ///< a stand-in
  static std::uint32_t view(const quorum_register::Config& config, const quorum_register::Rules& rules,
                            const quorum_register::Node& node);
  static Fires firesByDefault(quorum_register::TimerKind kind);

  // ---- states
  static constexpr std::array state_invariants{
      InvariantInfo{"converged",
                    "if nothing was lost or is in flight, every client was answered and no stand-in keeps "
                    "anything, all homes have the same value"}};
  StateVerdict judge(const StoreOf<F>& store) {
    StateVerdict verdict;
    if (isAtRest(store)) verdict.note(0, isConverged(store));
    return verdict;
  }

 private:
  static bool isAtRest(const StoreOf<F>& store) {
    const Spent spent = store.spent();
    if (spent.of(Budget::drops) > 0 || spent.of(Budget::crashes) > 0) return false;
    for (int i = 0; i < store.size(); ++i) {
      if (!store.isUp(i) || (store.says(i) & idle) == 0 || (store.says(i) & has_hints) != 0) return false;
      for (int j = 0; j < store.size(); ++j) {
        if (!store.isEmpty(quorum_register::quorum_link, i, j)) return false;
      }
    }
    return true;
  }
  static bool isConverged(const StoreOf<F>& store) {
    const Cluster<F>& cluster = store.cluster();
    const auto& homes = cluster.configs.front().homes;
    const auto& first = store.node(cluster.indexOf(homes.front())).stored;
    for (const ServerId home : homes) {
      if (store.node(cluster.indexOf(home)).stored != first) return false;
    }
    return true;
  }
};

template <>
const FamilyCheck& theCheck<quorum_register::Family>();

}  // namespace zablab
