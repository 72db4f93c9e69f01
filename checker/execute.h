// Runs scenarios and tables completely: nodes, monitors, expectations, verdict.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "checker/check/model.h"
#include "sim/run.h"
#include "sim/trace.h"

namespace zablab {

/// What is different from a scenario or table as it is written.
struct Overrides {
  std::optional<std::uint64_t> seed;
  std::optional<std::string> variant;
  std::vector<std::pair<std::string, std::string>> rules;
  std::vector<std::string> mutations;
  std::vector<StepSpec> steps;  ///< further steps, after those of the scenario
  std::optional<std::int64_t> loops;  ///< how often the loop of a run by actions is done, from 1

  bool any() const { return seed || loops || changesRun(); }
  bool changesRun() const { return variant || !rules.empty() || !mutations.empty() || !steps.empty(); }
};

/// What an entry of `fails_with` changes.
Overrides overridesOf(const FailsWith& how);

enum class Verdict { passed, failed, inconclusive };

/// The result of a scenario or table.
struct Outcome {
  std::string name;
  Verdict verdict = Verdict::passed;
  std::vector<std::string> problems;  ///< what failed, in words; empty when it passed
  std::vector<std::string> told;      ///< what fails in a scenario that is declared to fail: not a problem
  std::vector<std::string> open;      ///< what could not be decided
  std::vector<std::string> warnings;  ///< parts of the scenario that had no effect
  std::uint64_t checks = 0;           ///< expectations, or rows
  /// Of a scenario with an exercise: what it asks for and this run lacks, in words; empty when it is solved.
  std::optional<std::vector<std::string>> exercise;
  Trace trace;                        ///< of a scenario
};

/// A scenario or a table, read and checked.
struct Case {
  enum class Kind { scenario, table, model };
  Kind kind = Kind::scenario;
  std::string path;
  LoadedScenario scenario;
  JsonValue table;
  LoadedModel model;
};

/// Reads a file. Throws InputError.
Case loadCase(const std::string& path);
Case readCase(const std::string& path, const JsonValue& document);

/// Applies the overrides to the scenario, in its struct and in its text.
LoadedScenario withOverrides(const LoadedScenario& scenario, const Overrides& overrides);

/// Runs a scenario. Throws InputError if it names something that does not exist.
Outcome runScenario(const LoadedScenario& scenario, const Until& until = {});

/// The scenario that a trace was made from, set to make the same choices again. Throws InputError.
LoadedScenario replayOf(const Trace& trace, const std::string& file_name);
/// Where the recorded run was ended early. Throws InputError.
Until untilOf(const Trace& trace, const std::string& file_name);
/// A scenario to begin with, as text.
std::string newScenario(std::int64_t servers);
/// The schema of scenario files.
Json scenarioSchema();
Json modelSchema();

}  // namespace zablab
