// How the family's own types are written in JSON.
#pragma once

#include "protocol/quorum_register/types.h"
#include "sim/json_reflect.h"

namespace zablab {

/// `"3/11/5"`: counter, writer and the writer's request; `"first"`: of the initial value.
template <>
struct JsonCodec<quorum_register::Version> {
  static Json write(const quorum_register::Version& version);
  static quorum_register::Version read(const JsonValue& value);
  static Json schema();
};

}  // namespace zablab
