// The memory of the register's monitors, in addition to the broadcast's (checker/zab/memory.h): for each
// server or client, and for all together.
#pragma once

#include <boost/describe.hpp>
#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "checker/zab/memory.h"
#include "protocol/zab_register/family.h"

namespace zablab::zab {

/// A client's request at the server that received it, not answered yet.
struct AskedHere {
  ServerId client = no_server;
  Operation operation{};
  std::int64_t number = 0;
  std::int64_t value = 0;
  bool done = false;  ///< a sync: the leader has confirmed it
  bool operator==(const AskedHere&) const = default;
};
BOOST_DESCRIBE_STRUCT(AskedHere, (), (client, operation, number, value, done))

/// A sync that a learner has forwarded to its leader.
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
  /// For one server or client, from what happens at it alone.
  struct Own {
    std::optional<Zxid> seen;              ///< a client: the newest zxid it has been shown
    std::vector<Request> asked;            ///< a client: the requests it waits for, in order
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
    std::optional<AskedHere> request;  ///< the request that was answered
  };
  static constexpr std::uint64_t kinds = kindBits(Kind::delivered, Kind::sent);
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
