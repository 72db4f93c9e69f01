// A random run of an ensemble, drawn as a scenario: who there is, what their disks hold, what clients ask,
// what goes wrong. Then faults stop on a core that is a quorum of voters, and the core has to serve.
#pragma once

#include <set>

#include "checker/fuzz/knobs.h"
#include "sim/choices.h"
#include "sim/scenario.h"

namespace zablab::zab {

/// How long a core may take to serve after faults have stopped, at any configuration. Virtual milliseconds.
inline constexpr Millis recovery_ms = 180'000;

/// When, after the faults, clients that probe the core turn to their servers.
inline constexpr Millis probes_after_ms = 400;
/// From one probe's requests to the next one's: as long as the slowest fsync, and some.
inline constexpr Millis probe_every_ms = 250;

struct DrawnRun {
  Scenario scenario;
  FuzzKnobs on;              ///< 1000 where the run has it, 0 where not
  Millis faults_end_ms = 0;  ///< from then on the core is whole
  Millis quiet_ms = 0;       ///< between two rounds in which all of them ask nobody asks for so long
  std::vector<ServerId> voters;
  std::vector<ServerId> core;
  std::vector<ServerId> probes;  ///< clients that ask after the faults, one of each server of the core
};

/// The same for the same choices and shape, whatever rules it is run with. Servers of `unable` are not chosen
/// for the core: what is left has to be a quorum of the voters.
DrawnRun drawRun(const FuzzShape& shape, Choices& choices, const std::set<ServerId>& unable = {});

}  // namespace zablab::zab
