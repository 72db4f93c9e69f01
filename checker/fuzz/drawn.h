// A random run: what was drawn for it, and what it is judged by.
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

/// A run, drawn as a scenario: who there is, what their disks hold, what clients ask, what goes wrong. Then
/// faults stop on a core that is a quorum, and the core has to serve.
struct DrawnRun {
  Scenario scenario;
  FuzzKnobs on;              ///< 1000 where the run has it, 0 where not
  Millis faults_end_ms = 0;  ///< from then on the core is whole
  Millis quiet_ms = 0;       ///< between two rounds in which all of them ask nobody asks for so long
  std::vector<ServerId> voters;
  std::vector<ServerId> core;
  std::vector<ServerId> probes;  ///< clients that ask after the faults, one of each server of the core
};

/// What a run is judged by, beside the invariants: what the core has to do once the faults have ended. Each
/// of `probes`, one client of each server of `core`, has to be answered. Without probes nothing is asked.
struct Judgement {
  Millis faults_end_ms = 0;
  std::vector<ServerId> core;
  std::vector<ServerId> probes;
  Millis quiet_ms = 0;            ///< so long the core is left alone at the end
  std::vector<std::string> only;  ///< invariants that alone are judged, where any are named
};

/// To which server a client turns by what it is asked; nothing: to none.
using TurnsTo = std::function<std::optional<ServerId>(const step::Ask&)>;

/// What a drawn run's expectations say: who has to be answered, from which servers, and since when the
/// servers are whole (swarm.cc).
Judgement judgementOf(const Scenario& scenario, const TurnsTo& turns_to);

/// Where the choices of one run come from: those that draw it, and those that it makes. Each call begins
/// anew.
struct RunChoices {
  using Source = std::function<std::unique_ptr<ChoiceSource>()>;
  Source drawing;
  Source running;
};

/// Counts the faults that were drawn.
void notePlan(FuzzStatistics& statistics, const DrawnRun& drawn);

}  // namespace zablab
