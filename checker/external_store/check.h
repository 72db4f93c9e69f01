// What an exhaustive search requires of an election on an external store besides its steps. What can happen
// next is the same as in every family (checker/check/moves.h).
#pragma once

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "checker/check/book_monitors.h"
#include "checker/check/check_of.h"
#include "checker/external_store/monitors.h"
#include "protocol/external_store/family.h"

namespace zablab {
namespace external_store {

/// The candidate waits for a key that is not there, or for its own.
bool waitsInVain(const Node& candidate, const StoreState& there);

}  // namespace external_store

template <>
struct CheckOf<external_store::Family>
    : BookMonitors<external_store::Family, external_store::Ledger, &external_store::monitorsWith> {
  using F = external_store::Family;
  using BookMonitors::BookMonitors;

  // ---- what guards have to know about a process
  static constexpr std::uint32_t idle = 1;   ///< it waits for no answer to a request
  static constexpr std::uint32_t waits = 2;  ///< a candidate that waits for the end of a key
  static std::uint32_t view(const external_store::Config& config, const external_store::Rules& rules,
                            const external_store::Node& node);
  /// The server whose silence a timer of this server of a replicated store measures: by index; -1: none.
  static int peerOf(const Cluster<F>& cluster, std::uint32_t view, const external_store::Timer& timer);
  static Fires firesByDefault(external_store::TimerKind kind);
  /// The ages at which a candidate no longer counts on its lease.
  static std::vector<Millis> thresholds(const external_store::Config& config, external_store::MarkKey mark) {
    if (mark == external_store::MarkKey::started) return {};  // no decision compares it
    const Millis ttl = std::max(config.ttl_ms, config.leastTtl());
    return {ttl - config.margin_ms, ttl};
  }

  // ---- states
  static constexpr std::array state_invariants{
      InvariantInfo{"waits-for-a-holder",
                    "if nothing is under way and all processes run, the key that a candidate waits for is "
                    "there, and not its own"}};
  StateVerdict judge(const StoreOf<F>& store) {
    StateVerdict verdict;
    for (int i = 0; i < store.size(); ++i) {
      if ((store.says(i) & waits) == 0) continue;
      if (!isAtRest(store)) return {};
      const external_store::Candidate& candidate = *store.node(i).candidate;
      const int server =
          cluster_.indexOf(cluster_.configs[static_cast<std::size_t>(i)].storeAt(candidate.turn));
      const external_store::StoreState& there = store.node(server).store->state;
      if (there.revision < candidate.seen) continue;  // it has yet to execute what the candidate knows
      verdict.note(0, !external_store::waitsInVain(store.node(i), there));
    }
    return verdict;
  }

 private:
  static bool isAtRest(const StoreOf<F>& store) {
    for (int i = 0; i < store.size(); ++i) {
      if (!store.isUp(i) || store.isPaused(i)) return false;
      const external_store::Node& node = store.node(i);
      if (node.candidate && !node.candidate->connected) return false;
      for (int j = 0; j < store.size(); ++j) {
        for (const Link link : {external_store::store_link, external_store::peer_link}) {
          if (!store.isEmpty(link, i, j)) return false;
        }
      }
    }
    return true;
  }
};

extern template const FamilyCheck& theCheck<external_store::Family>();

}  // namespace zablab
