// What one step works on, and the operations by which it acts on the world.
#pragma once

#include <utility>
#include <vector>

#include "protocol/kafka/family.h"

namespace zablab::kafka {

/// ZooKeeper itself is as it should be. Its client is the one that Kafka has (3.8 at most): it ends no
/// session by its own clock.
inline constexpr zookeeper::Rules zookeeper_rules = [] {
  zookeeper::Rules rules;
  rules.own_expiry = zookeeper::OwnExpiry::never;
  return rules;
}();

struct Context {
  const Config& config;
  const Rules& rules;
  Node& node;
  Effects& out;
  Millis clock;

  void send(Link link, ServerId to, Message message) const {
    out.push_back(V::Send{link, to, std::move(message)});
  }
  /// What a replica's log and its high watermark become on the disk.
  void write(OwnRecords record) const {
    const bool flushed =
        rules.log_flush == LogFlush::before_answer && !holds_alternative<CheckpointHighWatermark>(record);
    out.push_back(V::Write{visit([](auto& one) { return Record(std::move(one)); }, record), flushed});
  }
  void emit(Event event) const { out.push_back(V::Emit{std::move(event)}); }

  Broker& broker() const { return *node.broker; }
  /// Whether controllers have epochs.
  bool fences() const { return rules.controller_epoch == ControllerEpoch::raised_with_claim; }
};

/// A step of the node of the family `zookeeper` within this one. Returns what it made observable.
std::vector<zookeeper::Event> stepZooKeeper(const Context& ctx, const zookeeper::Input& input);
/// This input, if it concerns ZooKeeper.
std::optional<zookeeper::Input> inputOfZooKeeper(const Input& input);

/// Begins a session at one of ZooKeeper's servers.
std::vector<zookeeper::Event> connectToZooKeeper(const Context& ctx);
std::vector<zookeeper::Event> askZooKeeper(const Context& ctx, std::int64_t number, const zookeeper::Op& op);

}  // namespace zablab::kafka
