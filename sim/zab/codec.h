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

}  // namespace zablab
