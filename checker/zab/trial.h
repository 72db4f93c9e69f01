// One random run: servers under faults, clients that write and read, every invariant watching. Everything is
// drawn from the seed.
#pragma once

#include <map>
#include <string>

#include "checker/zab/invariants_recovery.h"
#include "sim/faults.h"

namespace zablab::zab {

struct Trial {
  Config config;  ///< members, ticks
  Rules rules;
  FaultKnobs knobs;
  Range latency{1, 30};
  Range fsync{1, 10};
  int clients = 2;
  int requests = 30;        ///< of all clients together
  Millis busy_ms = 30'000;  ///< requests are made within
  Millis length_ms = 60'000;
};

/// What a trial came to.
struct TrialOutcome {
  std::uint64_t actions = 0;
  std::uint64_t answered = 0;                        ///< requests of clients
  std::uint64_t established = 0;                     ///< epochs
  bool serving = false;                              ///< at the end a leader has an active epoch
  std::map<std::string, std::uint64_t> obligations;  ///< by invariant
  std::map<std::string, std::string> violations;     ///< by invariant, in words
};

/// Servers 1 to `voters`, then `observers` more.
Config ensembleOf(int voters, int observers = 0);

/// Everything may fail until `faults_until_ms`, with ticks of 200 ms.
Trial underFaults(Config config, Millis faults_until_ms);

TrialOutcome runTrial(const Trial& trial, std::uint64_t seed);

}  // namespace zablab::zab
