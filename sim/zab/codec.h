// How ZooKeeper's own types stand in JSON.
#pragma once

#include "protocol/zab_register/family.h"
#include "sim/json_reflect.h"

namespace zablab {

namespace zab {

/// A transaction as it is written out: what the service has in it stands beside the zxid.
struct TxnPlace {
  Zxid zxid;
};
BOOST_DESCRIBE_STRUCT(TxnPlace, (), (zxid))
struct TxnFields : TxnPlace, Write {};
BOOST_DESCRIBE_STRUCT(TxnFields, (TxnPlace, Write), ())

/// The service's state follows from the history.
struct SnapshotFields {
  Zxid last;
  std::vector<Txn> history;
};
BOOST_DESCRIBE_STRUCT(SnapshotFields, (), (last, history))

}  // namespace zab

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
  using Fields = zab::TxnFields;
  static Json write(const zab::Txn& txn);
  static zab::Txn read(const JsonValue& value);
  static Json schema();
};

/// `"1.11"`: the transactions 1.1 to 1.11 are in it. Anything else is an object of its fields.
template <>
struct JsonCodec<zab::Snapshot> {
  using Fields = zab::SnapshotFields;
  static Json write(const zab::Snapshot& snapshot);
  static zab::Snapshot read(const JsonValue& value);
  static Json schema();
};

}  // namespace zablab
