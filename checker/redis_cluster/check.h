// What an exhaustive search requires of Redis Cluster besides its steps.
#pragma once

#include <array>
#include <utility>
#include <vector>

#include "checker/check/book_monitors.h"
#include "checker/check/check_of.h"
#include "checker/redis_cluster/agreement.h"
#include "checker/redis_cluster/monitors.h"
#include "protocol/redis_cluster/family.h"

namespace zablab {

class RedisClusterMoves;

template <>
struct CheckOf<redis_cluster::Family>
    : BookMonitors<redis_cluster::Family, redis_cluster::Ledger, &redis_cluster::monitorsWith> {
  using F = redis_cluster::Family;
  using OwnMoves = RedisClusterMoves;
  using BookMonitors::BookMonitors;

  // ---- what guards have to know about a process
  static constexpr std::uint32_t idle = 1;     ///< a client that waits for nothing
  static constexpr std::uint32_t serves = 2;   ///< a master that executes requests
  static constexpr std::uint32_t votes = 4;    ///< a master with slots
  static constexpr std::uint32_t settled = 8;  ///< it has not asked for votes
  static std::uint32_t view(const redis_cluster::Config& config, const redis_cluster::Rules& rules,
                            const redis_cluster::Node& node);
  /// A replica asks for votes, which `elections` counts.
  static bool looks(const redis_cluster::Event& event) {
    return holds_alternative<redis_cluster::Asked>(event);
  }
  static Fires firesByDefault(redis_cluster::TimerKind kind);
  /// Data are too old to replace the master, or not.
  static std::vector<Millis> thresholds(const redis_cluster::Config& config, redis_cluster::MarkKey mark);

  static constexpr std::array grains{Grain::settled};
  static constexpr std::size_t links_of_servers = 2;  ///< the last is for clients

  // ---- states
  static constexpr std::array state_invariants{
      InvariantInfo{"owners-agree",
                    "if nothing is on the way and no PING would tell anything new, all nodes agree about who "
                    "owns each slot that one of them has"},
      InvariantInfo{"config-epochs-differ",
                    "if nothing is on the way and no PING would tell anything new, no two masters with slots "
                    "have the same configuration epoch"}};
  StateVerdict judge(const StoreOf<F>& store) {
    const auto nodes = nodesAtRest(store);
    if (nodes.empty() || redis_cluster::pingsTellMore(cluster_.rules, nodes)) return {};
    StateVerdict verdict;
    verdict.note(0, !redis_cluster::ownersDiffer(nodes));
    verdict.note(1, !redis_cluster::configEpochsCollide(nodes));
    return verdict;
  }

 private:
  /// The nodes that run, unless a message of the bus is on the way to one, one is paused, or two do not reach
  /// each other.
  std::vector<redis_cluster::Running> nodesAtRest(const StoreOf<F>& store) const {
    if (store.holdsAny(Relation::cut, 0)) return {};
    const int servers = cluster_.serverCount();
    for (int to = 0; to < servers; ++to) {
      if (!store.isUp(to)) continue;
      if (store.isPaused(to)) return {};
      for (int from = 0; from < servers; ++from) {
        if (!store.isEmpty(redis_cluster::bus_link, from, to)) return {};
      }
    }
    std::vector<redis_cluster::Running> nodes;
    for (int i = 0; i < servers; ++i) {
      if (store.isUp(i)) nodes.push_back({&cluster_.configs[static_cast<std::size_t>(i)], &store.node(i)});
    }
    return nodes;
  }
};

extern template const FamilyCheck& theCheck<redis_cluster::Family>();

}  // namespace zablab
