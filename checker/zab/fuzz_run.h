// Runs what was drawn, without a trace, with all invariants watching.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "checker/fuzz/outcome.h"
#include "checker/zab/swarm.h"
#include "sim/run.h"

namespace zablab::zab {

/// What a run is judged by, beside the invariants. After `faults_end_ms` each of `probes`, one client of each
/// server of `core`, has to be answered a write, a read and a sync, with no change of role between; from then
/// on no role changes, every client that is connected to the core is answered, the core comes to one history,
/// and nobody leads outside it. Without probes nothing is asked.
struct Judgement {
  Millis faults_end_ms = 0;
  std::vector<ServerId> core;
  std::vector<ServerId> probes;
  Millis quiet_ms = 0;            ///< so long the core is left alone at the end
  std::vector<std::string> only;  ///< invariants that alone are judged, where any are named
};

/// What a core may take to answer everything and to come to one history, once all of it serves.
inline constexpr Millis settle_ms = 60'000;
/// An election of a core that is whole and takes longer is reported.
inline constexpr Millis slow_election_ms = 20'000;

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

/// Runs until something is violated, the core has recovered and settled, or the time is over. `seed` is for
/// the digest alone. `made`: gets every choice that was not its default.
RunOutcome runCounted(const LoadedScenario& scenario, const Judgement& judgement, FuzzCounter& counter,
                      std::uint64_t seed, std::unique_ptr<ChoiceSource> source = nullptr,
                      std::vector<Choice>* made = nullptr);

/// A stall that is none of the protocol's: too few servers can start, for their histories are newer than
/// their current epochs (FileTxnSnapLog and QuorumPeer.loadDataBase refuse).
inline constexpr const char* stall_unable = "stall: too few servers can start";

/// Counts what was planned.
void notePlan(FuzzStatistics& statistics, const DrawnRun& drawn);

}  // namespace zablab::zab
