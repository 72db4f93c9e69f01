// Histories for tests.
#pragma once

#include "protocol/zab_register/family.h"

namespace zablab::zab {

inline Txn txnAt(Zxid zxid) { return {zxid, {.value = zxid.counter()}}; }

/// All transactions of one epoch up to `last`.
inline Snapshot upTo(Zxid last) {
  Snapshot snapshot{last, {}, {}};
  for (std::int64_t counter = 1; counter <= last.counter(); ++counter) {
    snapshot.history.push_back(txnAt(Zxid::of(last.epoch(), counter)));
  }
  snapshot.service = stateAfter(snapshot.history);
  return snapshot;
}

}  // namespace zablab::zab
