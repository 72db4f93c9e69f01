// The memory of the monitors: for each server, from its own events alone, and for all of them together. It
// contains only what a later verdict can depend on; what is no longer needed at the end of a role is
// discarded, because an exhaustive search distinguishes states by it. The structs are templates over the
// family built on the broadcast; the memory of its service's own monitors is its part of the book
// (service.h).
#pragma once

#include <bit>
#include <boost/describe.hpp>
#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "checker/zab/service.h"
#include "protocol/zab/family.h"
#include "sim/direct.h"

namespace zablab::zab {

/// The servers of a set with one bit for each place in `ids`. Servers come before clients there, and are
/// fewer than 64.
inline std::vector<ServerId> membersOf(std::uint64_t set, const NodeIds& ids) {
  std::vector<ServerId> members;
  for (; set != 0; set &= set - 1) members.push_back(ids[static_cast<std::size_t>(std::countr_zero(set))]);
  return members;
}

/// A transaction together with everything before it: the running hash of a history identifies both.
template <class F>
struct BasicEntry {
  BasicTxn<typename F::Service> txn;
  std::uint64_t chain = 0;  ///< of the history up to and including it
  bool operator==(const BasicEntry&) const = default;
  Zxid zxid() const { return txn.zxid; }
  BOOST_DESCRIBE_CLASS(BasicEntry, (), (txn, chain), (), ())
};
template <class F>
using BasicHistory = std::vector<BasicEntry<F>>;

/// An entry at its place in a history.
template <class F>
struct BasicPlaced {
  std::size_t place = 0;
  BasicEntry<F> entry;
  bool operator==(const BasicPlaced&) const = default;
  BOOST_DESCRIBE_CLASS(BasicPlaced, (), (place, entry), (), ())
};

/// What a learner's leader sent since its synchronization began.
struct Told {
  bool syncing = false;
  bool newleader = false;
  bool up_to_date = false;
  std::optional<Zxid> last = std::nullopt;  ///< committed, before NEWLEADER
  bool operator==(const Told&) const = default;
};
BOOST_DESCRIBE_STRUCT(Told, (), (syncing, newleader, up_to_date, last))

/// What a server has received from another since it began to look, as far as it has processed it.
struct Heard {
  std::vector<Vote> votes;     ///< in the present round: the last; all, if older votes still count
  Role state = Role::LOOKING;  ///< in which it cast the last of them
  std::optional<Vote> settled = std::nullopt;  ///< its last while it led or followed, in any round
  bool leads = false;                          ///< it led then
  bool operator==(const Heard&) const = default;
};
BOOST_DESCRIBE_STRUCT(Heard, (), (votes, state, settled, leads))

struct Promise {
  std::int64_t epoch = 0;
  ServerId leader = no_server;
  bool operator==(const Promise&) const = default;
};
BOOST_DESCRIBE_STRUCT(Promise, (), (epoch, leader))

/// For one server or client, from what happens at it alone.
template <class F>
struct BasicOwnMemory {
  BasicDurable<typename F::Service> image;  ///< what is durable
  BasicHistory<F> durable;                  ///< the history that a restart would find
  BasicHistory<F> memory;                   ///< the history that it reports to have
  Role role = Role::LOOKING;
  Phase phase = Phase::election;
  std::int64_t asked_epoch = 0;         ///< of the last LEADERINFO that it read in this role
  std::int64_t round = 0;               ///< while it looks
  std::map<ServerId, Heard> heard;      ///< while it looks
  std::optional<Promise> promise;       ///< its last
  std::uint64_t promised_by = 0;        ///< a leader: the servers whose promises it has read, one bit each
  bool placed = false;                  ///< the scenario began with its role
  Told told;                            ///< a learner
  std::map<ServerId, Zxid> awaited;     ///< a leader: the NEWLEADER that a learner has to acknowledge first
  std::optional<BasicPlaced<F>> shown;  ///< the end of the history that it showed last
  typename ServiceBook<F>::Own service{};  ///< the memory of the service's monitors
  bool operator==(const BasicOwnMemory&) const = default;

  std::int64_t accepted() const { return image.accepted_epoch.value_or(0); }
  std::int64_t current() const { return image.current_epoch.value_or(0); }
  BOOST_DESCRIBE_CLASS(BasicOwnMemory, (),
                       (image, durable, memory, role, phase, asked_epoch, round, heard, promise, promised_by,
                        placed, told, awaited, shown, service),
                       (), ())
};

/// A claimed entry, by its position in the one history that should exist.
template <class F>
struct BasicClaim {
  BasicEntry<F> entry;
  std::int64_t epoch = 0;  ///< the epoch that committed it
  bool operator==(const BasicClaim&) const = default;
  BOOST_DESCRIBE_CLASS(BasicClaim, (), (entry, epoch), (), ())
};

template <class F>
struct BasicEpoch {
  std::int64_t epoch = 0;
  int leader = -1;
  BasicHistory<F> initial;  ///< the leader's at its activation
  bool operator==(const BasicEpoch&) const = default;
  BOOST_DESCRIBE_CLASS(BasicEpoch, (), (epoch, leader, initial), (), ())
};

/// For all together.
template <class F>
struct BasicSharedMemory {
  /// By an entry's hash, and by epoch: the servers that hold it since then, one bit each. Only for entries
  /// that are not claimed yet.
  std::map<std::uint64_t, std::map<std::int64_t, std::uint64_t>> held;
  std::vector<BasicClaim<F>> claims;
  std::vector<BasicEpoch<F>> epochs;
  std::map<Zxid, std::uint64_t> chains;       ///< everything that was ever durable, by zxid
  std::map<std::int64_t, ServerId> elected;   ///< by round, if a quorum decides immediately
  typename ServiceBook<F>::Shared service{};  ///< the memory of the service's monitors
  bool operator==(const BasicSharedMemory&) const = default;
  BOOST_DESCRIBE_CLASS(BasicSharedMemory, (), (held, claims, epochs, chains, elected, service), (), ())
};

}  // namespace zablab::zab
