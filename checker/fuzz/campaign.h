// Many random runs, on several threads. What is found, and the digest of all runs, depend on the seeds alone.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "checker/execute.h"
#include "checker/fuzz/knobs.h"
#include "checker/fuzz/outcome.h"

namespace zablab {

/// What is run: randomly drawn ensembles under these rules, or one scenario with its choices drawn.
struct FuzzTarget {
  std::string protocol;  ///< of the drawn runs; empty: the first one. A scenario names its own
  FuzzShape shape;
  Overrides overrides;
  std::optional<LoadedScenario> scenario = std::nullopt;
  std::vector<std::string> invariants =
      {};  ///< the only invariants that are judged; by default all, and the requirements on a core
};

/// Runs seeds, and counts. There is one for each thread.
class FuzzWorker {
 public:
  virtual ~FuzzWorker() = default;
  virtual RunOutcome run(std::uint64_t seed) = 0;
  virtual FuzzStatistics statistics() const = 0;
};

/// Seeds from `begin` up to, and without, `end`; of these, only every one whose distance from `begin` has the
/// remainder `shard` modulo `shards`.
struct SeedRange {
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
  std::uint64_t shard = 0;
  std::uint64_t shards = 1;
  std::uint64_t size() const;
  std::uint64_t at(std::uint64_t index) const { return begin + shard + index * shards; }
};

struct Finding {
  std::uint64_t seed = 0;
  Failure failure;
};

struct CampaignResult {
  FuzzStatistics statistics;
  std::vector<Finding> findings;  ///< by seed
  bool complete = true;           ///< false if it was stopped
};

/// The progress of a campaign.
struct CampaignProgress {
  std::uint64_t done = 0;
  std::uint64_t all = 0;
  std::uint64_t findings = 0;
  std::uint64_t actions = 0;
  Millis virtual_ms = 0;
};

/// Told which seed a thread runs. Called by the threads themselves.
class SeedWatch {
 public:
  virtual ~SeedWatch() = default;
  virtual void begins(std::uint64_t seed) = 0;
  virtual void ends() = 0;
};

/// `proceed` is called several times a second; false stops the campaign after the runs in progress.
CampaignResult runCampaign(const FuzzTarget& target, const SeedRange& seeds, int jobs,
                           const std::function<bool(const CampaignProgress&)>& proceed,
                           SeedWatch* watch = nullptr);

}  // namespace zablab
