// How ZooKeeper's own types stand in JSON.
#pragma once

#include "protocol/zab/types.h"
#include "sim/json_reflect.h"

namespace zablab {

/// `"1.11"`: epoch and counter. Read from a number as well: the counter, in epoch 0. `"none"`: no database.
/// An observer's stands as `"observer"`.
template <>
struct JsonCodec<zab::Zxid> {
  static Json write(const zab::Zxid& zxid);
  static zab::Zxid read(const JsonValue& value);
  static Json schema();
};

/// `"1.11"`: a write without a client, of the counter's value. Anything else is an object of its fields.
template <>
struct JsonCodec<zab::Txn> {
  static Json write(const zab::Txn& txn);
  static zab::Txn read(const JsonValue& value);
  static Json schema();
};

/// `"1.11"`: the transactions 1.1 to 1.11 are in it. Anything else is an object of its fields.
template <>
struct JsonCodec<zab::Snapshot> {
  static Json write(const zab::Snapshot& snapshot);
  static zab::Snapshot read(const JsonValue& value);
  static Json schema();
};

}  // namespace zablab
