// What the monitors remember: of each server, from its own happenings alone, and of all of them together.
// Nothing here but what a later verdict can depend on; what a role's end makes pointless is forgotten, for an
// exhaustive search tells states apart by it.
#pragma once

#include <boost/describe.hpp>
#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "protocol/zab_register/family.h"

namespace zablab::zab {

/// A transaction together with everything before it: the running hash of a history names both.
struct Entry {
  Txn txn;
  std::uint64_t chain = 0;  ///< of the history up to and including it
  bool operator==(const Entry&) const = default;
  Zxid zxid() const { return txn.zxid; }
};
BOOST_DESCRIBE_STRUCT(Entry, (), (txn, chain))
using History = std::vector<Entry>;

/// An entry in its place of a history.
struct Placed {
  std::size_t place = 0;
  Entry entry;
  bool operator==(const Placed&) const = default;
};
BOOST_DESCRIBE_STRUCT(Placed, (), (place, entry))

/// What a learner's leader said since its synchronization began.
struct Told {
  bool syncing = false;
  bool newleader = false;
  bool up_to_date = false;
  std::optional<Zxid> last = std::nullopt;  ///< committed, before NEWLEADER
  bool operator==(const Told&) const = default;
};
BOOST_DESCRIBE_STRUCT(Told, (), (syncing, newleader, up_to_date, last))

/// What a server has heard from another since it began to look, as far as it weighed it.
struct Heard {
  std::vector<Vote> votes;     ///< in the present round: the last; all, where older votes still count
  Role state = Role::LOOKING;  ///< in which it cast the last of them
  std::optional<Vote> settled = std::nullopt;  ///< its last while it led or followed, in any round
  bool leads = false;                          ///< it led then
  bool operator==(const Heard&) const = default;
};
BOOST_DESCRIBE_STRUCT(Heard, (), (votes, state, settled, leads))

/// A client's request at the server that it was asked of, not answered yet.
struct AskedHere {
  ServerId client = no_server;
  Operation operation{};
  std::int64_t number = 0;
  std::int64_t value = 0;
  bool done = false;  ///< a sync: the leader said so
  bool operator==(const AskedHere&) const = default;
};
BOOST_DESCRIBE_STRUCT(AskedHere, (), (client, operation, number, value, done))

/// A sync that a learner has handed on to its leader.
struct ForwardedSync {
  ServerId learner = no_server;
  ServerId client = no_server;
  std::int64_t number = 0;
  Zxid after;  ///< what had been proposed by then
  bool operator==(const ForwardedSync&) const = default;
};
BOOST_DESCRIBE_STRUCT(ForwardedSync, (), (learner, client, number, after))

struct Promise {
  std::int64_t epoch = 0;
  ServerId leader = no_server;
  bool operator==(const Promise&) const = default;
};
BOOST_DESCRIBE_STRUCT(Promise, (), (epoch, leader))

/// Of one server or client, from what happens at it alone.
struct OwnMemory {
  Durable image;    ///< what is durable
  History durable;  ///< the history that a restart would find
  History memory;   ///< the history it says it has
  Role role = Role::LOOKING;
  Phase phase = Phase::election;
  std::int64_t asked_epoch = 0;          ///< of the last LEADERINFO that it read in this role
  std::int64_t round = 0;                ///< while it looks
  std::map<ServerId, Heard> heard;       ///< while it looks
  std::optional<Promise> promise;        ///< its last
  std::uint64_t promised_by = 0;         ///< a leader: whose promises it has read, a bit each
  bool placed = false;                   ///< the scenario began with its role
  Told told;                             ///< a learner
  std::map<ServerId, Zxid> awaited;      ///< a leader: the NEWLEADER that a learner has to acknowledge first
  std::optional<Placed> shown;           ///< the end of the history that it showed last
  std::optional<Zxid> seen;              ///< a client: the newest it was shown
  std::vector<Request> asked;            ///< a client: what it waits for, in order
  std::vector<AskedHere> requests;       ///< of clients that are connected here
  Zxid proposed;                         ///< a leader: the newest, since it serves
  std::vector<ForwardedSync> forwarded;  ///< a leader
  bool operator==(const OwnMemory&) const = default;

  std::int64_t accepted() const { return image.accepted_epoch.value_or(0); }
  std::int64_t current() const { return image.current_epoch.value_or(0); }
};
BOOST_DESCRIBE_STRUCT(OwnMemory, (),
                      (image, durable, memory, role, phase, asked_epoch, round, heard, promise, promised_by,
                       placed, told, awaited, shown, seen, asked, requests, proposed, forwarded))

/// A claimed entry, by its position in the one history that there should be.
struct Claim {
  Entry entry;
  std::int64_t epoch = 0;  ///< that committed it
  bool operator==(const Claim&) const = default;
};
BOOST_DESCRIBE_STRUCT(Claim, (), (entry, epoch))

struct Epoch {
  std::int64_t epoch = 0;
  int leader = -1;
  History initial;  ///< the leader's at its activation
  bool operator==(const Epoch&) const = default;
};
BOOST_DESCRIBE_STRUCT(Epoch, (), (epoch, leader, initial))

/// Of all together.
struct SharedMemory {
  /// By an entry's hash, and by epoch: the servers that hold it since then, a bit each. Of what is not
  /// claimed yet.
  std::map<std::uint64_t, std::map<std::int64_t, std::uint64_t>> held;
  std::vector<Claim> claims;
  std::vector<Epoch> epochs;
  std::map<Zxid, std::uint64_t> chains;      ///< what was ever durable, by zxid
  std::map<std::int64_t, Placed> answered;   ///< the last write that was answered in an epoch
  std::map<std::int64_t, ServerId> elected;  ///< by round, where a quorum decides at once
  bool operator==(const SharedMemory&) const = default;
};
BOOST_DESCRIBE_STRUCT(SharedMemory, (), (held, claims, epochs, chains, answered, elected))

}  // namespace zablab::zab
