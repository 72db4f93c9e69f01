// What an exhaustive search asks of the ZAB family beside its steps.
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
#include "checker/zab/ledger.h"
#include "protocol/zab_register/family.h"

namespace zablab {

template <>
struct CheckOf<zab::Family> {
  using F = zab::Family;

  // ---- what guards have to know of a process
  static constexpr std::uint32_t settled = 1;       ///< it does not look for a leader
  static constexpr std::uint32_t takes_writes = 2;  ///< it would propose what it is asked for
  static constexpr std::uint32_t due = 4;           ///< its next ticks end its role, for no quorum follows it
  static constexpr std::uint32_t leads = 8;
  static constexpr std::uint32_t delayed = 16;  ///< it does not look yet
  static constexpr std::uint32_t observes = 32;
  static constexpr std::uint32_t idle = 64;  ///< a client that waits for nothing
  static std::uint32_t view(const zab::NodeConfig& config, const zab::Rules& rules, const zab::Node& node);
  /// Whose silence a timer of this server measures: by index; -1: nobody's.
  static int peerOf(const Cluster<F>& cluster, std::uint32_t view, const zab::Timer& timer);

  /// Whom it leads or follows, or turns to as a client: by index; -1: nobody.
  static int leaderOf(const Cluster<F>& cluster, std::uint32_t view);
  /// Of two notifications: whether the first one's vote beats the second one's.
  static bool beats(const Cluster<F>& cluster, const zab::Message& a, const zab::Message& b);
  /// Whether these servers (a bit each) are a quorum, as `server` has it configured.
  static bool isQuorumTo(const Cluster<F>& cluster, int server, std::uint64_t set);
  static constexpr Link election_link = 0;
  static constexpr std::size_t links_of_servers = 2;  ///< the last is for clients
  static constexpr std::array own_fires{Fires::quiet, Fires::due};
  static constexpr std::array grains{Grain::settled, Grain::atomic_election};
  static std::optional<Link> mutedBy(Grain grain) {
    return grain == Grain::atomic_election ? std::optional(election_link) : std::nullopt;
  }
  static bool looks(const zab::Event& event) { return std::holds_alternative<zab::Looking>(event); }
  /// The model's n-th request.
  static zab::Request write(std::uint32_t n) { return {zab::Operation::put, n, n, no_server}; }
  static zab::Request read(std::uint32_t n) { return {zab::Operation::read, 0, n, no_server}; }
  static zab::Request turn(ServerId server) { return {zab::Operation::connect, 0, 0, server}; }
  static Fires firesByDefault(zab::TimerKind kind);

  // ---- monitors
  using OwnMemory = zab::OwnMemory;
  using SharedMemory = zab::SharedMemory;
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
  /// The memories of monitors that have seen servers come into this state, and nothing else.
  std::pair<std::vector<OwnMemory>, SharedMemory> memoriesOf(const WorldValue<F>& value);
  std::vector<InvariantInfo> invariants() const;
  const std::vector<std::uint64_t>& obligations() const { return obligations_; }

 private:
  const Cluster<F>& cluster_;
  zab::Ledger* ledger_ = nullptr;  ///< the set's
  std::unique_ptr<MonitorSet<F>> set_;
  std::vector<std::uint64_t> obligations_;
  int server_ = -1;
};

/// In checker/zab/moves.h.
template <>
class Moves<zab::Family>;

}  // namespace zablab
