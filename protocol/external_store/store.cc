#include "protocol/external_store/store.h"

#include <algorithm>

#include "protocol/overloaded.h"

namespace zablab::external_store {
namespace {

auto placeOf(std::vector<KeyValue>& keys, const Key& key) {
  return std::lower_bound(keys.begin(), keys.end(), key,
                          [](const KeyValue& one, const Key& other) { return one.key < other; });
}

const KeyValue* findKey(const StoreState& state, const Key& key) {
  const auto at =
      std::find_if(state.keys.begin(), state.keys.end(), [&](const KeyValue& one) { return one.key == key; });
  return at == state.keys.end() ? nullptr : &*at;
}

/// Changes that belong together have one revision.
void record(StoreState& state, Result& result, ChangeKind kind, const KeyValue& what) {
  result.changes.push_back({state.revision + 1, kind, what});
}

void put(StoreState& state, Result& result, const Operate& operate) {
  auto at = placeOf(state.keys, operate.key);
  if (at == state.keys.end() || at->key != operate.key)
    at = state.keys.insert(at, KeyValue{.key = operate.key, .create_revision = state.revision + 1});
  at->value = operate.value;
  at->lease = operate.lease;
  at->mod_revision = state.revision + 1;
  ++at->version;
  record(state, result, ChangeKind::put, *at);
}

void erase(StoreState& state, Result& result, const Key& key, ChangeKind kind) {
  const auto at = placeOf(state.keys, key);
  if (at == state.keys.end() || at->key != key) return;
  record(state, result, kind, *at);
  state.keys.erase(at);
}

void finish(StoreState& state, const Result& result) {
  if (result.changes.empty()) return;
  ++state.revision;
  state.history.insert(state.history.end(), result.changes.begin(), result.changes.end());
}

Result transact(StoreState& state, const Txn& txn) {
  Result result;
  for (const Compare& compare : txn.compares) {
    const KeyValue* there = findKey(state, compare.key);
    const std::int64_t revision = there == nullptr ? 0 : there->create_revision;
    result.succeeded = result.succeeded && revision == compare.create_revision;
  }
  const auto& list = result.succeeded ? txn.then : txn.otherwise;
  for (const Operate& operate : list)
    result.lease_lost = result.lease_lost || (operate.does == Does::put && !hasLease(state, operate.lease));
  if (result.lease_lost) return result;
  for (const Operate& operate : list) {
    switch (operate.does) {
      case Does::put: put(state, result, operate); break;
      case Does::erase: erase(state, result, operate.key, ChangeKind::deleted); break;
      case Does::get:
        if (const KeyValue* there = findKey(state, operate.key)) result.found.push_back(*there);
        break;
      case Does::range:
        for (const KeyValue& one : state.keys) {
          if (one.key.prefix == operate.key.prefix) result.found.push_back(one);
        }
    }
  }
  finish(state, result);
  return result;
}

Result endLease(StoreState& state, const EndLease& end) {
  Result result;
  std::erase_if(state.leases, [&](const Lease& one) { return one.id == end.lease; });
  std::vector<Key> its;
  for (const KeyValue& one : state.keys) {
    if (one.lease == end.lease) its.push_back(one.key);
  }
  for (const Key& key : its)
    erase(state, result, key, end.expired ? ChangeKind::expired : ChangeKind::deleted);
  finish(state, result);
  return result;
}

}  // namespace

bool hasLease(const StoreState& state, std::int64_t lease) {
  return std::any_of(state.leases.begin(), state.leases.end(),
                     [lease](const Lease& one) { return one.id == lease; });
}

Result apply(StoreState& state, const Command& command) {
  return visit(Overloaded{
                   [&](const Transact& one) { return transact(state, one.txn); },
                   [&](const Grant& grant) {
                     Result result;
                     result.lease = ++state.leases_granted;
                     state.leases.push_back({result.lease, grant.ttl_ms});
                     return result;
                   },
                   [&](const EndLease& end) { return endLease(state, end); },
               },
               command);
}

}  // namespace zablab::external_store
