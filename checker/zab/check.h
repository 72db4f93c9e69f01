// What an exhaustive search requires besides the steps of any family built on the broadcast: the state of
// servers in their elections, and the monitors. check_impl.h contains the definitions, for one file of each
// family.
#pragma once

#include <array>
#include <optional>
#include <utility>
#include <vector>

#include "checker/check/book_monitors.h"
#include "checker/check/check_of.h"
#include "checker/zab/ledger.h"
#include "checker/zab/monitors.h"

namespace zablab::zab {

template <class F>
class BroadcastMoves;

/// `CheckOf<F>` derives from it; it adds its own `view` and the requests of its service.
template <class F>
class BroadcastCheck : public BookMonitors<F, BasicLedger<F>, &monitorsWith<F>> {
  using Monitors = BookMonitors<F, BasicLedger<F>, &monitorsWith<F>>;

 public:
  using OwnMoves = BroadcastMoves<F>;

  // ---- what guards have to know about a process
  static constexpr std::uint32_t settled = 1;       ///< it does not look for a leader
  static constexpr std::uint32_t takes_writes = 2;  ///< it would propose a request
  static constexpr std::uint32_t lost_quorum = 4;   ///< its next ticks end its role: no quorum follows it
  static constexpr std::uint32_t leads = 8;
  static constexpr std::uint32_t delayed = 16;  ///< it does not look yet
  static constexpr std::uint32_t observes = 32;
  /// Not used by the broadcast: a family's own bits are this one and the next.
  static constexpr std::uint32_t first_own = 64;
  static std::uint32_t viewOfServer(const Config& config, const typename F::Rules& rules,
                                    const typename F::Node& node);
  /// The server whose silence a timer of this server measures: by index; -1: none.
  static int peerOf(const Cluster<F>& cluster, std::uint32_t view,
                    const typename F::Vocabulary::Timer& timer);

  /// The view with the server's leader (a leader's is itself), or the server that a client turns to.
  static std::uint32_t withLeader(std::uint32_t view, const Config& config, std::optional<ServerId> leader);
  /// By index; -1: none.
  static int leaderOf(const Cluster<F>& cluster, std::uint32_t view);
  /// For two notifications: whether the vote of the first beats that of the second.
  static bool beats(const Cluster<F>& cluster, const typename F::Message& a, const typename F::Message& b);
  /// Whether these servers (one bit each) are a quorum by the configuration of `server`.
  static bool isQuorumTo(const Cluster<F>& cluster, int server, std::uint64_t set);
  static constexpr Link election_link = zab::election_link;
  static constexpr std::array own_fires{Fires::no_pending_votes, Fires::lost_quorum};
  static constexpr std::array grains{Grain::settled, Grain::atomic_election};
  static std::optional<Link> mutedBy(Grain grain) {
    return grain == Grain::atomic_election ? std::optional(election_link) : std::nullopt;
  }
  static bool looks(const typename F::Event& event) { return holds_alternative<Looking>(event); }
  static Fires firesByDefault(TimerKind kind);

  // ---- monitors
  using typename Monitors::OwnMemory;
  using typename Monitors::SharedMemory;

  explicit BroadcastCheck(const Cluster<F>& cluster) : Monitors(cluster) {}
  /// The memories of monitors that have seen servers reach this state, and nothing else.
  std::pair<std::vector<OwnMemory>, SharedMemory> memoriesOf(const WorldValue<F>& value);

 private:
  static constexpr unsigned leader_shift = 8;
};

}  // namespace zablab::zab
