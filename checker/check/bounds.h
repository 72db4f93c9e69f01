// How far a search goes, and what it considers possible: budgets of faults, when an armed timer may fire, the
// granularity. Each of these is a named switch of a model.
#pragma once

#include <array>
#include <boost/describe.hpp>
#include <cstdint>
#include <string_view>

#include "protocol/reflect.h"

namespace zablab {

/// What is counted and bounded. All are 0 unless a model sets them.
enum class Budget : std::uint8_t {
  elections,    ///< calls of lookForLeader by any server, beyond its first
  crashes,      ///< servers that end
  restarts,     ///< servers that start again
  partitions,   ///< cuts between two servers, in both directions; healing costs nothing
  timeouts,     ///< timers that fire although nothing is wrong
  writes,       ///< writes that clients request; if there are no clients, writes requested of a leader itself
  reads,        ///< reads that clients request
  turns,        ///< times that a client connects to another server
  disk_errors,  ///< writes to a log that fail
  overtakes,  ///< connections from which a message is read before the previous connection was read to its end
  pauses,     ///< servers whose process stops for a while; resuming costs nothing
  breaks,     ///< connections that break by themselves, with or without the loss of what is in flight
  drops,      ///< datagrams that are lost
  duplicates,    ///< datagrams that arrive twice
  asked,         ///< requests of the model's own list
  wipes,         ///< servers that are down and lose what is on their disk
  one_way_cuts,  ///< cuts of one direction between two servers; healing costs nothing
};
BOOST_DESCRIBE_ENUM(Budget, elections, crashes, restarts, partitions, timeouts, writes, reads, turns,
                    disk_errors, overtakes, pauses, breaks, drops, duplicates, asked, wipes, one_way_cuts)
inline constexpr std::size_t budgets = 17;
inline constexpr std::uint32_t budget_max = 15;

/// How much of each budget was spent on the way to a state, which servers have looked for a leader, and how
/// far each client is in its own list of requests: part of the state.
class Spent {
 public:
  static constexpr int servers_max = 32;
  static constexpr int lists_max = 8;  ///< clients that can have their own list

  using Words = std::array<std::uint32_t, 5>;

  Spent() = default;
  explicit Spent(const Words& words) : words_(words) {}
  const Words& words() const { return words_; }
  std::uint32_t of(Budget budget) const { return (words_[wordOf(budget)] >> shift(budget)) & budget_max; }
  void spend(Budget budget, std::uint32_t amount = 1) { words_[wordOf(budget)] += amount << shift(budget); }
  /// By index: whether it has begun an election; the first one costs nothing.
  bool hasLooked(int server) const { return (words_[looked] >> server) & 1; }
  void noteLooked(int server) { words_[looked] |= 1U << server; }
  /// How many requests of its own list the client has been given, the first client being 0.
  std::uint32_t askedOf(int client) const { return (words_[lists] >> 4 * client) & budget_max; }
  void noteAsked(int client) { words_[lists] += 1U << 4 * client; }

 private:
  static constexpr std::size_t looked = 2;
  static constexpr std::size_t lists = 3;
  static constexpr std::array<std::size_t, 3> budgets_at{0, 1, 4};  ///< of eight budgets each
  static_assert(budgets <= 8 * budgets_at.size() && servers_max <= 32 && 4 * lists_max <= 32);

  static std::size_t wordOf(Budget budget) { return budgets_at[static_cast<std::size_t>(budget) / 8]; }
  static unsigned shift(Budget budget) { return 4 * (static_cast<unsigned>(budget) % 8); }

  Words words_{};
};

using Bounds = std::array<std::uint32_t, budgets>;

/// How clients go through the model's list of requests.
enum class AskOrder : std::uint8_t {
  one_by_one,  ///< each once no client waits for an answer any more
  per_client,  ///< each client through its own list, as soon as it waits for nothing
};
BOOST_DESCRIBE_ENUM(AskOrder, one_by_one, per_client)

/// The order in which states are explored.
enum class SearchKind : std::uint8_t { bfs, dfs, walks };
BOOST_DESCRIBE_ENUM(SearchKind, bfs, dfs, walks)

/// When an armed timer may fire. At other times, unless it is `never` or `lost_quorum`, firing spends a
/// time-out.
enum class Fires : std::uint8_t {
  never,             ///< not in this model
  budgeted,          ///< only as a time-out
  free,              ///< whenever it is armed
  no_pending_votes,  ///< while no election message waits for its server
  quiescent,         ///< while nothing else can happen anywhere, except faults
  peer_unreachable,  ///< while the peer that it watches cannot be reached: down or cut off, and no message of
                     ///< it is unread
  lost_quorum,       ///< while it has an effect (a leader's tick, once no quorum follows it)
};
/// Their names in an older format.
constexpr std::array<Renamed, 5> formerNames(Fires) {
  return {{{"paid", "budgeted"},
           {"quiet", "no_pending_votes"},
           {"rest", "quiescent"},
           {"gone", "peer_unreachable"},
           {"due", "lost_quorum"}}};
}
BOOST_DESCRIBE_ENUM(Fires, never, budgeted, free, no_pending_votes, quiescent, peer_unreachable, lost_quorum)

/// How a server ends.
enum class Ends : std::uint8_t {
  kill,                ///< the process: what it wrote and sent remains
  crash,               ///< the process, and what it sent and was not read yet
  power_loss,          ///< the machine: what is not synced is lost, and no peer is notified
  partial_power_loss,  ///< the machine, and one or more of the oldest unsynced writes reached the disk
};
BOOST_DESCRIBE_ENUM(Ends, kill, crash, power_loss, partial_power_loss)

/// How a requested connection is received.
enum class Dials : std::uint8_t {
  patient,  ///< the dial of a server that looks waits, because the server will soon know its role
  any,      ///< a server that looks may refuse
};
BOOST_DESCRIBE_ENUM(Dials, patient, any)

/// The granularity of the election.
enum class Grain : std::uint8_t {
  full,     ///< message by message
  reduced,  ///< the same, but messages without effect are read immediately; if a family defines which they
            ///< are
  settled,  ///< a server that leads or follows reads and answers its election messages immediately
  atomic_election,  ///< one step, after which any server that can be elected leads
};
BOOST_DESCRIBE_ENUM(Grain, full, reduced, settled, atomic_election)

}  // namespace zablab
