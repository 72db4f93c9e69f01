// What can happen next in a state of a search of Sentinel. As for any family; at Grain::settled behaviours
// are left out, because what is watched and copied all the time would otherwise hide what is elected:
//
// - dials succeed as soon as the other process is there;
// - PING, INFO and what is replicated are read immediately, and so are all answers: a question and its answer
//   are one step, as in a model of calls. A question that is read late, or never, is included;
// - what is published reaches the Redis servers immediately. It reaches each sentinel at any time, or never.
//
// Questions about the master with their requests for votes, REPLICAOF, and HELLO at sentinels are read at any
// time in every grain.
#pragma once

#include <optional>

#include "checker/check/moves.h"
#include "checker/sentinel/check.h"
#include "protocol/overloaded.h"

namespace zablab {

class SentinelMoves : public Moves {
  using F = sentinel::Family;

 public:
  using Moves::Moves;

  bool hasConsequences() const override { return limits_.grain == Grain::settled; }
  std::optional<NumberedAction> consequence() const override {
    const int n = store_.size();
    for (Link link = 0; link < cluster_.links.size(); ++link) {
      const bool dials = store_.holdsAny(Relation::dialling, link);
      for (int from = 0; from < n; ++from) {
        for (int to = 0; to < n; ++to) {
          if (isReadAtOnce(link, from, to))
            return NumberedAction{.kind = ActionKind::deliver, .link = link, .a = from, .b = to};
          if (dials && world_.isDialling(link, from, to) && runs(from) && runs(to) &&
              reachEachOther(from, to))
            return NumberedAction{.kind = ActionKind::dial, .link = link, .a = from, .b = to};
        }
      }
    }
    return std::nullopt;
  }

 private:
  bool dialsAreMoves() const override { return limits_.grain != Grain::settled; }

  /// Whether the first item on the wire is read without a choice.
  bool isReadAtOnce(Link link, int from, int to) const {
    if (!world_.canDeliver(link, from, to)) return false;
    const auto& first = store_.channel(link, from, to).wire.front();
    if (!first) return true;  // the connection's end
    return visit(Overloaded{
                     [](const sentinel::IsMasterDown&) { return false; },
                     [](const sentinel::ReplicaOf&) { return false; },
                     [&](const sentinel::Hello&) {
                       return cluster_.as<F>().configs[static_cast<std::size_t>(to)].kind ==
                              sentinel::NodeKind::redis;
                     },
                     [](const sentinel::WriteRequest&) { return false; },
                     [](const sentinel::ReadRequest&) { return false; },
                     [](const auto&) { return true; },
                 },
                 first->as<F::Message>());
  }
};

}  // namespace zablab
