// The store as a pure service, in the manner of etcd: keys with revisions, transactions that compare, and
// leases. It knows neither time nor network: `Expire` ends a lease.
#pragma once

#include <boost/describe.hpp>
#include <cstdint>
#include <string_view>
#include <vector>

#include "protocol/external_store/types.h"
#include "protocol/variant.h"

namespace zablab::external_store {

struct Lease {
  std::int64_t id = 0;
  Millis ttl_ms = 0;
  bool operator==(const Lease&) const = default;
};
BOOST_DESCRIBE_STRUCT(Lease, (), (id, ttl_ms))

struct StoreState {
  std::int64_t revision = 1;  ///< that of an empty store
  std::int64_t leases_granted = 0;
  std::vector<KeyValue> keys;  ///< in order
  std::vector<Lease> leases;   ///< in order
  std::vector<Change> history;
  bool operator==(const StoreState&) const = default;
};
BOOST_DESCRIBE_STRUCT(StoreState, (), (revision, leases_granted, keys, leases, history))

// ---- what changes it

struct Transact {
  static constexpr std::string_view name = "txn";
  Txn txn;
  bool operator==(const Transact&) const = default;
};
BOOST_DESCRIBE_STRUCT(Transact, (), (txn))

struct Grant {
  static constexpr std::string_view name = "grant";
  Millis ttl_ms = 0;
  bool operator==(const Grant&) const = default;
};
BOOST_DESCRIBE_STRUCT(Grant, (), (ttl_ms))

/// The end of a lease, with all its keys, as one revision: its owner revokes it, or its time is over.
struct EndLease {
  static constexpr std::string_view name = "end_lease";
  std::int64_t lease = 0;
  bool expired = false;
  bool operator==(const EndLease&) const = default;
};
BOOST_DESCRIBE_STRUCT(EndLease, (), (lease, expired))

using Command = variant<Transact, Grant, EndLease>;

struct Result {
  bool succeeded = true;    ///< the comparisons held
  bool lease_lost = false;  ///< a put names a lease that there is not: nothing was done
  std::int64_t lease = 0;   ///< that was granted
  std::vector<KeyValue> found;
  std::vector<Change> changes;
};

Result apply(StoreState& state, const Command& command);
bool hasLease(const StoreState& state, std::int64_t lease);

}  // namespace zablab::external_store
