// Elections that end with nobody elected because all waits of a run without a seed are equal.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "protocol/vocabulary.h"
#include "sim/scenario.h"
#include "sim/trace.h"

namespace zablab {

/// Patterns of events: a node tries to be elected, and one is.
struct ElectionEvents {
  std::vector<EventPattern> attempts;
  std::vector<EventPattern> elected;
};

/// Those that the header of a family's traces names, under `attempts` and `elections`.
ElectionEvents electionEventsOf(const Json& header);

struct Collision {
  std::vector<ServerId> nodes;  ///< that tried
  std::uint64_t attempts = 0;
  Millis since = 0;  ///< the first attempt
  Millis until = 0;  ///< the last
};

/// Nobody is elected at the end of the run, since nodes have tried at the same times only: three times or
/// more, and as often at its end as before.
std::optional<Collision> collisionIn(const Trace& trace, const ElectionEvents& events);

/// Whether somebody is elected by it.
bool isElection(const ElectionEvents& events, const TraceEvent& event);

/// How often a node was elected.
std::uint64_t electionsIn(const Trace& trace, const ElectionEvents& events);

}  // namespace zablab
