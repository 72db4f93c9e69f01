// What clients of Redis behind sentinels are answered, and where what they write is kept.
#pragma once

#include <algorithm>

#include "checker/clients/clients.h"
#include "protocol/sentinel/family.h"

namespace zablab {

template <>
struct ClientsOf<sentinel::Family> {
  using F = sentinel::Family;

  static bool isAnswered(const F::Request&) { return true; }
  static std::optional<ClientAnswer> answered(const F::Event& event) {
    const auto* answer = get_if<sentinel::Answered>(&event);
    if (answer == nullptr) return std::nullopt;
    return ClientAnswer{answer->number,
                        answer->operation == sentinel::Operation::write ? Asked::write : Asked::read,
                        answer->outcome == sentinel::Outcome::ok, answer->value};
  }
  /// The master of the newest configuration. The master of a group that no sentinel watches is the server
  /// that has accepted the write.
  static Serving readFrom(const RunOf<F>& run, const F::Event& write) {
    const ServerId accepted_by = get<sentinel::Answered>(write).server;
    bool watched = false;
    const Serving newest = leaderBy(run, [&](const F::Node& node) -> std::optional<std::int64_t> {
      if (!node.sentinel) return std::nullopt;
      watched =
          watched || node.sentinel->master == accepted_by || node.sentinel->instances.contains(accepted_by);
      return node.sentinel->config_epoch;
    });
    if (newest.server < 0 || !watched) return {run.cluster().indexOf(accepted_by), 0};
    return {run.cluster().indexOf(run.node(newest.server).sentinel->master), newest.number};
  }
  static std::int64_t partOf(const F::Event& write) { return get<sentinel::Answered>(write).server; }
  static bool has(const F::Node& node, const F::Event& write) {
    return node.redis && hasIn(node.redis->data, write);
  }
  static bool has(const F::Durable& disk, const F::Event& write) { return hasIn(disk.data, write); }

 private:
  static bool hasIn(const sentinel::Data& data, const F::Event& write) {
    const std::int64_t number = get<sentinel::Answered>(write).number;
    return std::any_of(data.rbegin(), data.rend(), [&](const auto& entry) { return entry.number == number; });
  }
};

}  // namespace zablab
