// What a store contains after a command, as etcd's interface demands it: reckoned by the judges themselves,
// with none of the nodes' code.
#pragma once

#include "protocol/external_store/store.h"

namespace zablab::external_store {

/// Does the command, and returns what whoever has asked for it has to be told. The history is left alone.
Result carryOut(StoreState& contents, const Command& command);

/// It asks for nothing but to read.
bool isReading(const Txn& txn);

/// The key's value and its revisions; null: there is no such key.
const KeyValue* keyIn(const std::vector<KeyValue>& keys, const Key& key);

}  // namespace zablab::external_store
