// Reduces a failing scenario: delta debugging over its steps, servers, clients, settings, prepared disks and
// choices, until nothing more can be removed.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>

#include "checker/fuzz/drawn.h"
#include "checker/fuzz/outcome.h"
#include "sim/choices.h"
#include "sim/scenario.h"

namespace zablab {

/// Runs a scenario; the choices that were not their default are added to the vector, if given.
using JudgeRun = std::function<RunOutcome(const Scenario&, std::vector<Choice>*)>;

struct Shrunk {
  Scenario scenario;  ///< without a seed, with the choices it needs
  Failure failure;
  std::uint64_t runs = 0;  ///< the number of runs it took
};

/// What must not be changed: in a run that stalls, what gives it the chance not to stall.
struct Kept {
  std::optional<Millis> steps_from;  ///< steps that are done at this time or later
  bool servers = false;              ///< all of them, and the clients that expectations name
};

/// The smallest scenario found whose failure is the same (`what`) as that of `scenario`. Empty if that does
/// not fail. `runs_max` bounds the work.
std::optional<Shrunk> shrink(const Scenario& scenario, const JudgeRun& judge, const TurnsTo& turns_to,
                             const Kept& kept = {}, std::uint64_t runs_max = 20'000);

/// Replaces the seed of a run by the choices that it made.
void pin(Scenario& scenario, const std::vector<Choice>& made);

/// The number of steps that a story has to state: faults, holds, requests, prepared entries and pinned
/// choices.
std::size_t storyLength(const Scenario& scenario);

/// All scenarios that have one of these steps fewer.
std::vector<Scenario> oneStepLess(const Scenario& scenario);

}  // namespace zablab
