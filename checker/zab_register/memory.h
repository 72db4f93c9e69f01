// What the register's monitors remember beside the broadcast's (checker/zab/memory.h): of each server or
// client, and of all together.
#pragma once

#include <boost/describe.hpp>
#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "checker/zab/memory.h"
#include "protocol/zab_register/family.h"

namespace zablab::zab {

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

template <>
struct ServiceBook<Family> {
  /// Of one server or client, from what happens at it alone.
  struct Own {
    std::optional<Zxid> seen;              ///< a client: the newest it was shown
    std::vector<Request> asked;            ///< a client: what it waits for, in order
    std::vector<AskedHere> requests;       ///< of clients that are connected here
    Zxid proposed;                         ///< a leader: the newest, since it serves
    std::vector<ForwardedSync> forwarded;  ///< a leader
    bool operator==(const Own&) const = default;
    BOOST_DESCRIBE_CLASS(Own, (), (seen, asked, requests, proposed, forwarded), (), ())
  };
  struct Shared {
    std::map<std::int64_t, BasicPlaced<Family>> answered;  ///< the last write that was answered in an epoch
    bool operator==(const Shared&) const = default;
    BOOST_DESCRIBE_CLASS(Shared, (), (answered), (), ())
  };
  struct Facts {
    std::optional<AskedHere> request;  ///< that was answered
  };
  static constexpr std::uint64_t kinds = kindBits(Kind::delivered, Kind::closed, Kind::sent);
  static std::optional<Showing> note(BasicLedger<Family>& ledger, const Happened<Family>& seen, Facts& facts);
  static void onRoleOver(Own& own);
  static std::vector<std::unique_ptr<Monitor<Family>>> monitors(BasicLedger<Family>& ledger);
};

using Entry = BasicEntry<Family>;
using History = BasicHistory<Family>;
using Placed = BasicPlaced<Family>;
using Claim = BasicClaim<Family>;
using Epoch = BasicEpoch<Family>;
using OwnMemory = BasicOwnMemory<Family>;
using SharedMemory = BasicSharedMemory<Family>;

}  // namespace zablab::zab
