// The results of a campaign: for each kind of failure a shrunk story, and the figures of all runs.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "checker/fuzz/campaign.h"
#include "sim/trace.h"

namespace zablab {

/// A failure reduced in size: a scenario of exactly that run. If rules were changed, it `fails` with them and
/// holds without them.
struct Story {
  std::string
      signature;  ///< what failed; the servers it names, in which roles; the kind of action that decided
  std::uint64_t seed = 0;
  Failure failure;         ///< of the shrunk run
  Scenario scenario;       ///< as written to a file
  Trace trace;             ///< of the run that fails
  std::string summary;     ///< in plain words
  std::size_t length = 0;  ///< steps that it states
  std::uint64_t runs = 0;  ///< the number of runs that shrinking took
  bool stopped = false;    ///< shrinking was: more of it could be removed
};

/// Asked between two runs: whether there is time for another one. Empty: there always is.
using Proceed = std::function<bool()>;

/// Shrinks one finding. Empty if its run, written as a scenario, does not fail. Throws InputError if it
/// cannot be expressed as a scenario. Without time to `proceed` the story is the run as far as it is shrunk.
std::optional<Story> tellStory(const FuzzTarget& target, const Finding& finding, const Proceed& proceed = {});
/// The same for any scenario that fails. Empty if it does not. `only`: only these are judged.
std::optional<Story> tellStory(const Scenario& failing, const std::vector<std::string>& only = {},
                               const Proceed& proceed = {});

/// Which findings to shrink: for each thing that failed the first `of_each`, because later ones are mostly
/// the same.
std::vector<Finding> chosenFindings(const std::vector<Finding>& findings, std::size_t of_each = 3);

/// The counts as lines for people.
std::vector<std::string> tableOf(const FuzzStatistics& statistics);

/// Times that are of interest to operators: a column for each measure, a row for each setting, "median / 90th
/// / 99th percentile".
std::vector<std::vector<std::string>> timesTable(const FuzzStatistics& statistics);

/// Roles and their changes as a DOT graph, coloured by frequency.
std::string coverageDot(const FuzzStatistics& statistics);

}  // namespace zablab
