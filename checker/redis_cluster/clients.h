// What clients of Redis Cluster are answered, and where what they write is kept.
#pragma once

#include <algorithm>

#include "checker/clients/clients.h"
#include "protocol/redis_cluster/family.h"

namespace zablab {

template <>
struct ClientsOf<redis_cluster::Family> {
  using F = redis_cluster::Family;

  static bool isAnswered(const F::Request& request) {
    return request.operation == redis_cluster::Operation::read ||
           request.operation == redis_cluster::Operation::write;
  }
  static std::optional<ClientAnswer> answered(const F::Event& event) {
    const auto* answer = get_if<redis_cluster::Answered>(&event);
    if (answer == nullptr) return std::nullopt;
    return ClientAnswer{answer->request,
                        answer->operation == redis_cluster::Operation::write ? Asked::write : Asked::read,
                        answer->outcome == redis_cluster::Outcome::ok, answer->value};
  }
  /// The master that owns the slot by the greatest configuration epoch.
  static Serving readFrom(const RunOf<F>& run, const F::Event& write) {
    const redis_cluster::Slot slot = get<redis_cluster::Answered>(write).slot;
    return leaderBy(run, [&](const F::Node& node) -> std::optional<std::int64_t> {
      const auto owner = node.conf.slots.find(slot);
      const auto self = node.conf.nodes.find(node.self);
      const bool owns = owner != node.conf.slots.end() && owner->second == node.self;
      if (!owns || self == node.conf.nodes.end() || self->second.master != no_server) return std::nullopt;
      return self->second.config_epoch;
    });
  }
  static std::int64_t partOf(const F::Event& write) { return get<redis_cluster::Answered>(write).slot; }
  static bool has(const F::Node& node, const F::Event& write) { return hasIn(node.history, write); }
  static bool has(const F::Durable& disk, const F::Event& write) { return hasIn(disk.history, write); }

 private:
  static bool hasIn(const redis_cluster::History& history, const F::Event& write) {
    const auto& answer = get<redis_cluster::Answered>(write);
    return std::find(history.rbegin(), history.rend(), redis_cluster::Entry{answer.slot, answer.value}) !=
           history.rend();
  }
};

}  // namespace zablab
