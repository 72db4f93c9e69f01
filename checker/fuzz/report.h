// What a campaign hands back: for each kind of failure a shrunk story, and the figures of all runs.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "checker/fuzz/campaign.h"
#include "sim/trace.h"

namespace zablab {

/// A failure that was made small: a scenario of just that run. Where rules were changed, it `fails` with them
/// and holds without.
struct Story {
  std::string signature;  ///< what failed; whom it names, in which roles; what kind of action decided
  std::uint64_t seed = 0;
  Failure failure;         ///< of the shrunk run
  Scenario scenario;       ///< as it is written to a file
  Trace trace;             ///< of the run that fails
  std::string summary;     ///< in plain words
  std::size_t length = 0;  ///< steps that it states
  std::uint64_t runs = 0;  ///< that shrinking took
};

/// Shrinks one finding. Throws InputError where the finding cannot be told as a scenario.
Story tellStory(const FuzzTarget& target, const Finding& finding);
/// The same of any scenario that fails. Nothing where it does not.
/// `only`: judged by these alone.
std::optional<Story> tellStory(const Scenario& failing, const std::vector<std::string>& only = {});

/// Which findings to shrink: of each thing that failed the first `of_each`, for later ones are mostly the
/// same.
std::vector<Finding> chosenFindings(const std::vector<Finding>& findings, std::size_t of_each = 3);

/// The counts as lines for people.
std::vector<std::string> tableOf(const FuzzStatistics& statistics);

/// What operators ask for: a column for each measure, a row for each setting, "median / 90th / 99th
/// percentile".
std::vector<std::vector<std::string>> timesTable(const FuzzStatistics& statistics);

/// Roles and their changes as a DOT graph, coloured by how often they were seen.
std::string coverageDot(const FuzzStatistics& statistics);

}  // namespace zablab
