// How ZooKeeper's own types are written in JSON. codec_impl.h contains what depends on the service, for one
// file of each family.
#pragma once

#include <vector>

#include "protocol/zab/types.h"
#include "sim/json_reflect.h"
#include "sim/zab/service_words.h"

namespace zablab {

namespace zab {

/// A transaction written in full: the fields of its payload are next to the zxid.
struct TxnPlace {
  Zxid zxid;
};
BOOST_DESCRIBE_STRUCT(TxnPlace, (), (zxid))
template <class Payload>
struct TxnFields : TxnPlace {
  Payload payload;
  BOOST_DESCRIBE_CLASS(TxnFields, (TxnPlace), (payload), (), ())
};
template <DescribedStruct Payload>
struct TxnFields<Payload> : TxnPlace, Payload {
  BOOST_DESCRIBE_CLASS(TxnFields, (TxnPlace, Payload), (), (), ())
};

/// The service's state follows from the history.
template <class S>
struct SnapshotFields {
  Zxid last;
  Txns<S> history;
  BOOST_DESCRIBE_CLASS(SnapshotFields, (), (last, history), (), ())
};

}  // namespace zab

/// `"1.11"`: epoch and counter. Read from a number as well: the counter, in epoch 0. `"none"`: no database.
/// An observer's is `"observer"`.
template <>
struct JsonCodec<zab::Zxid> {
  static Json write(const zab::Zxid& zxid);
  static zab::Zxid read(const JsonValue& value);
  static Json schema();
};

/// `"1.11"`: with the payload that a zxid alone implies (ServiceWords::plain). Anything else is an object of
/// its fields.
template <class S>
struct JsonCodec<zab::BasicTxn<S>> {
  using Fields = zab::TxnFields<typename S::Payload>;
  static Json write(const zab::BasicTxn<S>& txn);
  static zab::BasicTxn<S> read(const JsonValue& value);
  static Json schema();
};

/// `"1.11"`: it contains the transactions 1.1 to 1.11. Anything else is an object of its fields.
template <class S>
struct JsonCodec<zab::BasicSnapshot<S>> {
  using Fields = zab::SnapshotFields<S>;
  static Json write(const zab::BasicSnapshot<S>& snapshot);
  static zab::BasicSnapshot<S> read(const JsonValue& value);
  static Json schema();
};

}  // namespace zablab
