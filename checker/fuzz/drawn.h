// A random run: what was drawn for it, and the criteria by which it is judged.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "checker/fuzz/knobs.h"
#include "checker/fuzz/outcome.h"
#include "sim/choices.h"
#include "sim/scenario.h"

namespace zablab {

/// A run, drawn as a scenario: the servers and clients, the content of the disks, the clients' requests, the
/// faults. Then faults stop on a core that is a quorum, and the core has to serve.
struct DrawnRun {
  Scenario scenario;
  FuzzKnobs on;              ///< 1000 if the run has it, otherwise 0
  Millis faults_end_ms = 0;  ///< from then on the core has no faults
  Millis quiet_ms = 0;       ///< how long no requests are made between two rounds of all probes
  std::vector<ServerId> voters;
  std::vector<ServerId> core;
  std::vector<ServerId> probes;  ///< clients that make requests after the faults, one per server of the core
};

/// The criteria for a run, besides the invariants: what the core has to do once the faults have ended. Each
/// of `probes`, one client of each server of `core`, has to be answered. Without probes nothing is required.
struct Judgement {
  Millis faults_end_ms = 0;
  std::vector<ServerId> core;
  std::vector<ServerId> probes;
  Millis quiet_ms = 0;            ///< how long the core is left without requests at the end
  std::vector<std::string> only;  ///< if not empty, only these invariants are judged
};

/// The server that a client turns to by this request; empty: none.
using TurnsTo = std::function<std::optional<ServerId>(const step::Ask&)>;

/// The expectations of a drawn run: which clients have to be answered, from which servers, and since when the
/// servers have no faults (swarm.cc).
Judgement judgementOf(const Scenario& scenario, const TurnsTo& turns_to);

/// The sources of the choices of one run: those that draw it, and those that it makes. Each call starts from
/// the beginning.
struct RunChoices {
  using Source = std::function<std::unique_ptr<ChoiceSource>()>;
  Source drawing;
  Source running;
};

/// Counts the faults that were drawn.
void notePlan(FuzzStatistics& statistics, const DrawnRun& drawn);

}  // namespace zablab
