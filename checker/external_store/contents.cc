#include "checker/external_store/contents.h"

#include <utility>

namespace zablab::external_store {
namespace {

bool isThere(const StoreState& contents, std::int64_t lease) {
  for (const Lease& one : contents.leases) {
    if (one.id == lease) return true;
  }
  return false;
}

/// All changes of a command have the revision after the present one.
void note(Result& result, std::int64_t revision, ChangeKind kind, const KeyValue& what) {
  result.changes.push_back({revision, kind, what});
}

void setKey(StoreState& contents, Result& result, const Operate& operate) {
  const std::int64_t revision = contents.revision + 1;
  std::vector<KeyValue>& keys = contents.keys;
  std::size_t place = 0;
  while (place < keys.size() && keys[place].key < operate.key) ++place;
  const bool exists = place < keys.size() && keys[place].key == operate.key;
  const KeyValue before = exists ? keys[place] : KeyValue{operate.key, no_server, revision, 0, 0, 0};
  const KeyValue after{operate.key, operate.value,      before.create_revision,
                       revision,    before.version + 1, operate.lease};
  if (exists) {
    keys[place] = after;
  } else {
    keys.insert(keys.begin() + static_cast<std::ptrdiff_t>(place), after);
  }
  note(result, revision, ChangeKind::put, after);
}

template <class Which>
void removeKeys(StoreState& contents, Result& result, ChangeKind kind, Which which) {
  std::vector<KeyValue> left;
  for (const KeyValue& one : contents.keys) {
    if (which(one)) {
      note(result, contents.revision + 1, kind, one);
    } else {
      left.push_back(one);
    }
  }
  contents.keys = std::move(left);
}

void operateOn(StoreState& contents, Result& result, const Operate& operate) {
  const Key& key = operate.key;
  switch (operate.does) {
    case Does::put: return setKey(contents, result, operate);
    case Does::erase:
      return removeKeys(contents, result, ChangeKind::deleted,
                        [&](const KeyValue& one) { return one.key == key; });
    case Does::get:
      if (const KeyValue* one = keyIn(contents.keys, key)) result.found.push_back(*one);
      return;
    case Does::range:
      for (const KeyValue& one : contents.keys) {
        if (one.key.prefix == key.prefix) result.found.push_back(one);
      }
      return;
  }
}

Result compareAndDo(StoreState& contents, const Txn& txn) {
  Result result;
  for (const Compare& compare : txn.compares) {
    const KeyValue* there = keyIn(contents.keys, compare.key);
    if ((there == nullptr ? 0 : there->create_revision) != compare.create_revision) result.succeeded = false;
  }
  const std::vector<Operate>& list = result.succeeded ? txn.then : txn.otherwise;
  for (const Operate& operate : list) {
    if (operate.does == Does::put && !isThere(contents, operate.lease)) result.lease_lost = true;
  }
  if (result.lease_lost) return result;
  for (const Operate& operate : list) operateOn(contents, result, operate);
  return result;
}

}  // namespace

const KeyValue* keyIn(const std::vector<KeyValue>& keys, const Key& key) {
  for (const KeyValue& one : keys) {
    if (one.key == key) return &one;
  }
  return nullptr;
}

bool isReading(const Txn& txn) {
  for (const auto* list : {&txn.then, &txn.otherwise}) {
    for (const Operate& operate : *list) {
      if (operate.does == Does::put || operate.does == Does::erase) return false;
    }
  }
  return true;
}

Result carryOut(StoreState& contents, const Command& command) {
  Result result;
  if (const auto* transact = get_if<Transact>(&command)) {
    result = compareAndDo(contents, transact->txn);
  } else if (const auto* grant = get_if<Grant>(&command)) {
    result.lease = contents.leases_granted += 1;
    contents.leases.push_back({result.lease, grant->ttl_ms});
  } else {
    const EndLease& end = get<EndLease>(command);
    std::erase_if(contents.leases, [&](const Lease& one) { return one.id == end.lease; });
    removeKeys(contents, result, end.expired ? ChangeKind::expired : ChangeKind::deleted,
               [&](const KeyValue& one) { return one.lease == end.lease; });
  }
  if (!result.changes.empty()) ++contents.revision;
  return result;
}

}  // namespace zablab::external_store
