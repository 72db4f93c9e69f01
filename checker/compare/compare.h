// One script of faults on several protocols, with the same clients, and what clients notice of it.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "checker/compare/script.h"
#include "checker/execute.h"
#include "checker/fuzz/outcome.h"
#include "sim/scenario.h"

namespace zablab {

/// What is measured in a run; empty: it has no meaning in this run.
enum class Measure : std::uint8_t {
  without_leader,   ///< ms from the fault until a new leader has answered a write
  messages,         ///< that servers sent each other until then
  longest_wait,     ///< ms: the longest time after the fault in which no client was answered a write
  lost_writes,      ///< answered writes that the leader at the end does not have
  false_elections,  ///< leaders that took over while the old one ran and reached a majority
  stale_reads,      ///< reads that returned a value that had been replaced before they began
};
inline constexpr std::array all_measures{Measure::without_leader,  Measure::messages,
                                         Measure::longest_wait,    Measure::lost_writes,
                                         Measure::false_elections, Measure::stale_reads};
std::string_view nameOf(Measure measure);  ///< in JSON
std::string_view textOf(Measure measure);  ///< for people, with the unit

struct Measured {
  std::array<std::optional<std::int64_t>, all_measures.size()> values;
  std::int64_t answered_writes = 0;
  std::int64_t changes = 0;         ///< of leaders
  std::int64_t without_target = 0;  ///< faults that found nobody to strike
  std::optional<std::int64_t>& operator[](Measure measure) {
    return values[static_cast<std::size_t>(measure)];
  }
  const std::optional<std::int64_t>& operator[](Measure measure) const {
    return values[static_cast<std::size_t>(measure)];
  }
  bool operator==(const Measured&) const = default;
};

/// A protocol as it takes part (checker/compare/contender.h).
class Contender;
std::span<const Contender* const> contenders();
/// Adds one to them, for good. Not to be called while another thread reads them.
void addContender(const Contender& contender);
/// Null if there is none of that name.
const Contender* findContender(std::string_view protocol);

/// Of one measure over many runs.
struct Spread {
  std::uint64_t runs = 0;  ///< that have a value
  std::int64_t min = 0, lower = 0, median = 0, upper = 0, max = 0;
  std::uint64_t worst_seed = 0;  ///< the first with the largest value
  bool operator==(const Spread&) const = default;
};
/// Empty if no value is there. `values`: by seed, from `first` on.
std::optional<Spread> spreadOf(const std::vector<std::optional<std::int64_t>>& values, std::uint64_t first);

struct ContenderResult {
  const Contender* contender = nullptr;
  std::vector<Measured> runs;  ///< by seed
  std::optional<Spread> spread(Measure measure, std::uint64_t first) const;
};

struct CompareOverrides : Overrides {
  std::vector<std::pair<std::string, std::int64_t>> config;  ///< fields of the servers' configuration
  /// The protocol's configuration file, which names the servers.
  struct File {
    std::string path;
    std::string text;
  };
  std::optional<File> file;
  bool any() const { return Overrides::any() || !config.empty() || file; }
};

struct CompareRequest {
  FaultScript script;
  std::vector<const Contender*> contenders;
  std::uint64_t first = 0;
  std::uint64_t count = 0;
  int jobs = 1;
  CompareOverrides overrides;
};
/// The same for any number of jobs.
std::vector<ContenderResult> compare(const CompareRequest& request);

}  // namespace zablab
