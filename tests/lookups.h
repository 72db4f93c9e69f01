// Compares what a search looks up with what it computes anew, on drawn paths through a model: the steps of
// nodes, and the verdicts and memories of monitors.
#pragma once

#include <cstdint>

#include "tests/prepared.h"

namespace zablab::lookups {

struct Compared {
  std::uint64_t steps = 0;
  std::uint64_t violations = 0;  ///< steps that violated something
};

/// Adds to `tally` what `walks` paths of at most `depth` moves from the model's start have compared.
void compare(const Prepared& model, int walks, int depth, Compared& tally);

}  // namespace zablab::lookups
