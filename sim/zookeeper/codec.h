// How operations are written in JSON: `{"create": "/a", "data": "x"}`, with the fields that are not their
// defaults; and access control lists.
#pragma once

#include "protocol/zookeeper/operation.h"
#include "sim/json_reflect.h"
#include "sim/zab/codec.h"

namespace zablab {

/// `"world:anyone:cdrwa"`: scheme, id and permissions, as ZooKeeper's command line has them.
template <>
struct JsonCodec<zookeeper::Acl> {
  static Json write(const zookeeper::Acl& acl);
  static zookeeper::Acl read(const JsonValue& value);
  static Json schema();
};

template <>
struct JsonCodec<zookeeper::SubOp> {
  static Json write(const zookeeper::SubOp& op);
  static zookeeper::SubOp read(const JsonValue& value);
  static void checkPattern(const JsonValue& pattern);
  static Json schema();
};

template <>
struct JsonCodec<zookeeper::Op> {
  static Json write(const zookeeper::Op& op);
  static zookeeper::Op read(const JsonValue& value);
  static void checkPattern(const JsonValue& pattern);
  static Json schema();
};

}  // namespace zablab
