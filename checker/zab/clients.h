// What clients of a broadcast are answered, and which servers have what they wrote.
#pragma once

#include <algorithm>
#include <optional>

#include "checker/clients/clients.h"
#include "protocol/zab/types.h"

namespace zablab::zab {

/// `F`: a family over the broadcast. By `isOf(txn, event)` it tells whether a transaction is an acknowledged
/// write.
template <class F, class Own>
struct BroadcastClients {
  using Event = typename F::Event;

  static Serving readFrom(const RunOf<F>& run, const Event&) {
    return leaderBy(run, [](const typename F::Node& node) -> std::optional<std::int64_t> {
      const bool leads = node.role == Role::LEADING && node.phase == Phase::broadcast;
      return leads ? std::optional(node.epoch) : std::nullopt;
    });
  }
  static bool has(const typename F::Node& node, const Event& write) {
    return hasIn(node.history, write) || has(node.files, write);
  }
  static bool has(const typename F::Durable& disk, const Event& write) {
    return hasIn(disk.log, write) || (disk.snapshot && hasIn(disk.snapshot->history, write));
  }

 private:
  template <class Txns>
  static bool hasIn(const Txns& txns, const Event& write) {
    return std::any_of(txns.rbegin(), txns.rend(), [&](const auto& txn) { return Own::isOf(txn, write); });
  }
};

}  // namespace zablab::zab
