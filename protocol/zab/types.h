// ZooKeeper's terms: zxid, vote, role, phase. What depends on the service built on the broadcast is a
// template over it (service.h).
#pragma once

#include <array>
#include <boost/describe.hpp>
#include <compare>
#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

#include "protocol/reflect.h"
#include "protocol/vocabulary.h"

namespace zablab::zab {

/// A transaction id: the epoch of the leader that proposed it and a counter within the epoch, 32 bits each.
/// Compared as the signed 64-bit number it is on the wire.
struct Zxid {
  std::int64_t value = 0;

  static constexpr Zxid of(std::int64_t epoch, std::int64_t counter) { return {(epoch << 32) | counter}; }
  constexpr std::int64_t epoch() const { return value >> 32; }
  constexpr std::int64_t counter() const { return value & 0xffffffff; }
  auto operator<=>(const Zxid&) const = default;
};
BOOST_DESCRIBE_STRUCT(Zxid, (), (value))

/// An epoch is the upper half of a zxid, which is a signed number.
inline constexpr std::int64_t epoch_max = 0x7fffffff;

/// "No database": what a server advertises that must not be elected (ZooKeeper, db.autocreate=false).
inline constexpr Zxid zxid_unusable{-1};
/// Observers vote for no server, with the smallest possible values (FastLeaderElection, getInitId and similar
/// functions).
inline constexpr Zxid zxid_of_observer{std::numeric_limits<std::int64_t>::min()};
inline constexpr std::int64_t epoch_of_observer = std::numeric_limits<std::int64_t>::min();

enum class Role : std::uint8_t { LOOKING, FOLLOWING, LEADING, OBSERVING };
BOOST_DESCRIBE_ENUM(Role, LOOKING, FOLLOWING, LEADING, OBSERVING)

/// The phase of a server within its role (ZAB's phases).
enum class Phase : std::uint8_t { election, discovery, synchronization, broadcast };
BOOST_DESCRIBE_ENUM(Phase, election, discovery, synchronization, broadcast)

/// What a leader's first packet of a synchronization announces.
enum class SyncMode : std::uint8_t { NONE, DIFF, TRUNC, SNAP };
BOOST_DESCRIBE_ENUM(SyncMode, NONE, DIFF, TRUNC, SNAP)

/// A transaction of the replicated log: its place, and a payload for the service, which the broadcast cannot
/// read.
template <class S>
struct BasicTxn {
  Zxid zxid;
  typename S::Payload payload;
  bool operator==(const BasicTxn&) const = default;
  BOOST_DESCRIBE_CLASS(BasicTxn, (), (zxid, payload), (), ())
};
template <class S>
using Txns = std::vector<BasicTxn<S>>;

template <class T>
inline constexpr bool is_txn = false;
template <class S>
inline constexpr bool is_txn<BasicTxn<S>> = true;
template <class T>
concept IsTxn = is_txn<T>;

/// Everything up to `last`: the transactions that were delivered, in order, and the state of the service
/// after them.
template <class S>
struct BasicSnapshot {
  Zxid last;
  Txns<S> history;
  typename S::State service;
  bool operator==(const BasicSnapshot&) const = default;
  BOOST_DESCRIBE_CLASS(BasicSnapshot, (), (last, history, service), (), ())
};

/// A vote: the server that should lead, and the grounds for it (peerEpoch and electionEpoch on the wire).
struct Vote {
  ServerId leader = no_server;
  Zxid zxid;
  std::int64_t peer_epoch = 0;      ///< the candidate's current epoch
  std::int64_t election_epoch = 0;  ///< the round of the server that cast it
  static constexpr std::array former{Renamed{"epoch", "peer_epoch"}, Renamed{"round", "election_epoch"}};
  bool operator==(const Vote&) const = default;
};
BOOST_DESCRIBE_STRUCT(Vote, (), (leader, zxid, peer_epoch, election_epoch))

/// One vote in a ballot box, with the role its sender was in.
struct Ballot {
  Vote vote;
  Role state = Role::LOOKING;
  std::optional<std::vector<Vote>> earlier = std::nullopt;  ///< of the same voter, if they still count
  bool operator==(const Ballot&) const = default;
};
BOOST_DESCRIBE_STRUCT(Ballot, (), (vote, state, earlier))

}  // namespace zablab::zab
