// Runs what was drawn, without a trace, with all invariants watching.
#pragma once

#include <memory>
#include <vector>

#include "checker/fuzz/outcome.h"
#include "checker/zab/swarm.h"
#include "sim/run.h"

namespace zablab::zab {

/// What a run is judged by, beside the invariants: after `faults_end_ms` each of `probes` has to get an
/// answer. Without probes nothing is asked.
struct Judgement {
  Millis faults_end_ms = 0;
  std::vector<ServerId> core;
  std::vector<ServerId> probes;
};

/// Counts over many runs; one for each thread.
class FuzzCounter {
 public:
  FuzzCounter();
  ~FuzzCounter();
  /// Everything counted so far, with names.
  FuzzStatistics statistics() const;

  struct Counts;

 private:
  friend RunOutcome runCounted(const LoadedScenario&, const Judgement&, FuzzCounter&, std::uint64_t,
                               std::unique_ptr<ChoiceSource>, std::vector<Choice>*);
  std::unique_ptr<Counts> counts_;
};

/// Runs until something is violated, the core has recovered or the time is over. `seed` is for the digest
/// alone. `made`: gets every choice that was not its default.
RunOutcome runCounted(const LoadedScenario& scenario, const Judgement& judgement, FuzzCounter& counter,
                      std::uint64_t seed, std::unique_ptr<ChoiceSource> source = nullptr,
                      std::vector<Choice>* made = nullptr);

/// A stall that is none of the protocol's: too few servers can start, for their histories are newer than
/// their current epochs (FileTxnSnapLog and QuorumPeer.loadDataBase refuse).
inline constexpr const char* stall_unable = "stall: too few servers can start";

/// Counts what was planned.
void notePlan(FuzzStatistics& statistics, const DrawnRun& drawn);

}  // namespace zablab::zab
