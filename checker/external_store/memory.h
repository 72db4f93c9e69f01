// The memory of the monitors: for each node, from what happens at it alone, and for all of them together. It
// contains only what a later verdict can depend on, because an exhaustive search distinguishes states by it.
#pragma once

#include <boost/describe.hpp>
#include <cstdint>
#include <map>
#include <set>

#include "protocol/external_store/store_log.h"

namespace zablab::external_store {

/// A candidate that takes itself for the leader.
struct Believer {
  std::int64_t token = 0;
  bool was_paused = false;  ///< while it did
  bool paused = false;      ///< at present: it does nothing
  bool operator==(const Believer&) const = default;
};
BOOST_DESCRIBE_STRUCT(Believer, (), (token, was_paused, paused))

/// A client's read that is not answered yet.
struct Reading {
  std::int64_t number = 0;
  std::set<std::int64_t> current;  ///< the tokens of those who led at some time since it was asked; 0: nobody
  bool operator==(const Reading&) const = default;
};
BOOST_DESCRIBE_STRUCT(Reading, (), (number, current))

struct OwnMemory {
  std::int64_t token = 0;   ///< a resource: of the last write that it has accepted
  std::int64_t before = 0;  ///< and of the one before
  bool leads = false;       ///< a server of a replicated store
  bool operator==(const OwnMemory&) const = default;
};
BOOST_DESCRIBE_STRUCT(OwnMemory, (), (token, before, leads))

/// A lease of a replicated store: which of its servers have not begun to measure it again since its candidate
/// sent a request for its renewal.
struct Renewals {
  std::set<ServerId> since_sent;      ///< the last request
  std::set<ServerId> since_answered;  ///< the last one that was answered
  bool operator==(const Renewals&) const = default;
};
BOOST_DESCRIBE_STRUCT(Renewals, (), (since_sent, since_answered))

struct SharedMemory {
  StoreState store;              ///< the store's, without its history
  std::set<std::int64_t> first;  ///< keys that were at some time the first, by their creation's revision
  std::map<ServerId, Believer> believers;
  std::map<ServerId, Reading> readings;  ///< by client
  // ---- of a replicated store
  leader_followers::BasicLog<StoreLog> executed;  ///< what any of its servers has executed, in order
  std::map<std::int64_t, ServerId> leaders;       ///< by generation
  std::map<std::int64_t, Renewals> renewals;      ///< by lease
  bool operator==(const SharedMemory&) const = default;
};
BOOST_DESCRIBE_STRUCT(SharedMemory, (), (store, first, believers, readings, executed, leaders, renewals))

}  // namespace zablab::external_store
