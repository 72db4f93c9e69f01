// Any family, as engines see it: its messages, records, events, requests, disks and nodes are values of types
// that engines do not know. What can be done with them, the family itself says (sim/family.h).
#pragma once

#include <compare>
#include <cstdint>
#include <memory>

#include "protocol/vocabulary.h"
#include "sim/action.h"
#include "sim/direct.h"
#include "sim/happened.h"
#include "sim/value.h"

namespace zablab {

class AnyFamily;
class AnyNodes;

/// A key of timers: a server, or a value of the family's own.
struct AnyKey {
  ServerId server = no_server;
  Value own{};
  auto operator<=>(const AnyKey&) const = default;
  void encodeTo(Bytes& out) const { own.empty() ? zablab::encodeTo(out, server) : own.encodeTo(out); }
};
inline Json toJson(const AnyKey& key) {
  return key.own.empty() ? toJson<ServerId>(key.server) : toJson(key.own);
}

struct AnyTypes {
  using Message = Value;
  using Record = Value;
  using Durable = Value;
  using TimerKind = std::uint8_t;
  using TimerKey = AnyKey;
  using MarkKey = AnyKey;
  using DurableKey = AnyKey;
  using Event = Value;
  using Request = Value;
};

struct Any : AnyTypes {
  using Vocabulary = zablab::Vocabulary<AnyTypes>;
  using Node = Value;
};

/// The servers of a run. Their rules and configurations are the family's own (`own`: a Cluster of its type).
template <>
struct Cluster<Any> : ClusterShape {
  const AnyNodes* nodes = nullptr;
  const AnyFamily* family = nullptr;  ///< null: nothing is known of it but its nodes
  std::shared_ptr<ClusterShape> own;

  template <class F>
  const Cluster<F>& as() const {
    return static_cast<const Cluster<F>&>(*own);
  }
};

template <>
struct Steps<Any> {
  using V = Any::Vocabulary;
  static Value blank(const Cluster<Any>& cluster, ServerId self);
  static Value emptyDisk(const Cluster<Any>& cluster);
  static bool accepts(const Cluster<Any>& cluster, const Value& node, Link link);
  /// Takes what `input` holds.
  static void step(const Cluster<Any>& cluster, int i, Millis clock, Value& node, V::Input& input,
                   V::Effects& effects);
  static Value shown(const Cluster<Any>& cluster, int i, bool up, const Value& node, const Value& disk);
  static void write(const Cluster<Any>& cluster, Value& disk, const Value& record);
  static void writeHalf(const Cluster<Any>& cluster, Value& disk, const Value& record);
  /// The number for a timer's key in a choice's address and, if it is no server's id, its text there.
  static std::pair<ServerId, std::string> subjectOf(const Cluster<Any>& cluster, const AnyKey& key);
};

using AnyHappened = Happened<Any>;
using AnyListener = Listener<Any>;
using AnyCluster = Cluster<Any>;

/// The order of datagrams on a wire where two orders of the same ones are one state.
void putInOrder(std::vector<std::optional<Value>>& wire);

}  // namespace zablab
