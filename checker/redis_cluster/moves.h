// What can happen next in a state of a search of Redis Cluster. As for any family; at Grain::settled
// behaviours are left out, because announcements to nodes that do nothing with them would otherwise hide what
// is elected:
//
// - PING, UPDATE, and the PONG of a replica, which only says how much data it has, are read immediately; so
//   are requests for votes by nodes that have none;
// - dials succeed as soon as the other process is there, and what is replicated is read immediately.
//
// Requests for votes at masters, votes, FAIL, and the PONG of a master, which claims slots, are read at any
// time in every grain, or never. What a node that is paused or cut off does not read immediately remains on
// the way.
#pragma once

#include <optional>

#include "checker/check/moves.h"
#include "checker/redis_cluster/check.h"
#include "protocol/overloaded.h"

namespace zablab {

class RedisClusterMoves : public Moves {
  using F = redis_cluster::Family;

 public:
  using Moves::Moves;

  bool hasConsequences() const override { return limits_.grain == Grain::settled; }
  std::optional<NumberedAction> consequence() const override {
    const int n = store_.size();
    for (int from = 0; from < n; ++from) {
      for (int to = 0; to < n; ++to) {
        if (world_.canDeliver(replication, from, to))
          return NumberedAction{.kind = ActionKind::deliver, .link = replication, .a = from, .b = to};
        if (world_.isDialling(replication, from, to) && runs(from) && runs(to) && reachEachOther(from, to))
          return NumberedAction{.kind = ActionKind::dial, .link = replication, .a = from, .b = to};
        if (const auto datagram = readAtOnce(from, to)) return datagram;
      }
    }
    return std::nullopt;
  }

 private:
  static constexpr Link replication = redis_cluster::replication_link;

  bool dialsAreMoves() const override { return limits_.grain != Grain::settled; }

  std::optional<NumberedAction> readAtOnce(int from, int to) const {
    constexpr Link bus = redis_cluster::bus_link;
    if (!world_.canDeliver(bus, from, to)) return std::nullopt;
    const auto& wire = store_.channel(bus, from, to).wire;
    for (std::size_t position = 0; position < wire.size(); ++position) {
      if (!wire[position] || !isReadAtOnce(wire[position]->as<F::Message>(), to)) continue;
      return NumberedAction{.kind = ActionKind::deliver,
                            .link = bus,
                            .a = from,
                            .b = to,
                            .position = static_cast<std::uint32_t>(position)};
    }
    return std::nullopt;
  }

  bool isReadAtOnce(const F::Message& message, int to) const {
    return visit(
        Overloaded{
            [](const redis_cluster::Ping&) { return true; },
            [](const redis_cluster::Update&) { return true; },
            [](const redis_cluster::Pong& m) { return m.header.master != no_server; },
            [&](const redis_cluster::AuthRequest&) { return (store_.says(to) & CheckOf<F>::votes) == 0; },
            [](const auto&) { return false; },
        },
        message);
  }
};

}  // namespace zablab
