// ZooKeeper's own words: zxid, vote, role, phase.
#pragma once

#include <array>
#include <boost/describe.hpp>
#include <compare>
#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

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
/// Observers vote for nobody, with the smallest values there are (FastLeaderElection, getInitId and its kin).
inline constexpr Zxid zxid_of_observer{std::numeric_limits<std::int64_t>::min()};
inline constexpr std::int64_t epoch_of_observer = std::numeric_limits<std::int64_t>::min();

enum class Role : std::uint8_t { LOOKING, FOLLOWING, LEADING, OBSERVING };
BOOST_DESCRIBE_ENUM(Role, LOOKING, FOLLOWING, LEADING, OBSERVING)

/// Where a server stands inside its role (ZAB's phases).
enum class Phase : std::uint8_t { election, discovery, synchronization, broadcast };
BOOST_DESCRIBE_ENUM(Phase, election, discovery, synchronization, broadcast)

/// What a leader's first packet of a synchronization announces.
enum class SyncMode : std::uint8_t { NONE, DIFF, TRUNC, SNAP };
BOOST_DESCRIBE_ENUM(SyncMode, NONE, DIFF, TRUNC, SNAP)

enum class TxnKind : std::uint8_t { put, open_session, close_session };
BOOST_DESCRIBE_ENUM(TxnKind, put, open_session, close_session)

/// A transaction of the replicated log. `client` and `number` name the request that it answers.
struct Txn {
  Zxid zxid;
  TxnKind kind = TxnKind::put;
  std::int64_t value = 0;
  ServerId client = no_server;
  std::int64_t number = 0;
  bool operator==(const Txn&) const = default;
};
BOOST_DESCRIBE_STRUCT(Txn, (), (zxid, kind, value, client, number))

/// The service's state up to `last`: here, the transactions that made it, in order.
struct Snapshot {
  Zxid last;
  std::vector<Txn> history;
  bool operator==(const Snapshot&) const = default;
};
BOOST_DESCRIBE_STRUCT(Snapshot, (), (last, history))

/// What a client asks for. `connect` names a server and sends nothing by itself.
enum class Operation : std::uint8_t { put, read, sync, open_session, close_session, connect };
BOOST_DESCRIBE_ENUM(Operation, put, read, sync, open_session, close_session, connect)

/// What a client is told to do; an input of its node. `connect` turns to `server`.
struct Request {
  Operation operation{};
  std::int64_t value = 0;
  std::int64_t number = 0;
  ServerId server = no_server;
  bool operator==(const Request&) const = default;
};
BOOST_DESCRIBE_STRUCT(Request, (), (operation, value, number, server))

/// A vote: who should lead, and what speaks for it. `epoch` is the candidate's current epoch (peerEpoch on
/// the wire), `round` the election round of the server that cast it (electionEpoch on the wire).
struct Vote {
  ServerId leader = no_server;
  Zxid zxid;
  std::int64_t epoch = 0;
  std::int64_t round = 0;
  bool operator==(const Vote&) const = default;
};
BOOST_DESCRIBE_STRUCT(Vote, (), (leader, zxid, epoch, round))

/// One vote in a ballot box, with the role its sender was in.
struct Ballot {
  Vote vote;
  Role state = Role::LOOKING;
  std::optional<std::vector<Vote>> earlier = std::nullopt;  ///< of the same voter, where they still count
  bool operator==(const Ballot&) const = default;
};
BOOST_DESCRIBE_STRUCT(Ballot, (), (vote, state, earlier))

}  // namespace zablab::zab
