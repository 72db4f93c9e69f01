// What the fuzz targets share. Each passes libFuzzer's bytes to a reader of users' files. An input may be
// accepted, or refused by an InputError that is useful to a person; anything else is a bug and ends the
// process.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <sstream>
#include <string>
#include <string_view>

#include "checker/execute.h"
#include "checker/replay.h"

namespace zablab::fuzz {

/// A file in a directory that does not exist, so that no input reads files next to it.
inline const std::string file_name = "/no/such/directory/input";

/// Runs are cut short: an input should take some milliseconds.
inline constexpr Millis run_ms_max = 2000;

inline void require(bool holds, const std::string& what) {
  if (holds) return;
  std::fprintf(stderr, "zablab: %s\n", what.c_str());
  std::abort();
}

/// Checks that a refusal describes the error, on one line, in this file.
inline void requireClear(const InputError& error) {
  require(!error.message.empty(), "an error without a message");
  require(error.message.find_first_of("\n\r") == std::string::npos, "an error of several lines");
  require(error.file == file_name, "an error about another file: " + error.file);
  require(!error.position || (error.position->line >= 1 && error.position->column >= 1),
          "an error at no place");
}

/// The same, with the limits of all runs here.
inline Until limited(Until until) {
  until.time = std::min(until.time.value_or(run_ms_max), run_ms_max);
  until.events_max = 500;
  until.values_max = 100'000;
  return until;
}

/// Checks that the run's trace can be written, read, and replayed with the same events.
inline void requireReplayable(const Trace& trace) {
  const std::string text = traceText(trace);
  const Trace again = readTrace(file_name, text);
  require(traceText(again) == text, "a trace that is read and written again is another one");
  const Until until = limited(untilOf(again, file_name));
  Trace recorded = again;
  Trace replayed = runScenario(replayOf(again, file_name), until).trace;
  for (Trace* const one : {&recorded, &replayed}) one->header.erase("unused_choices");  // each of its own
  const auto differences = differencesOf(recorded, replayed);
  require(differences.empty(), "the replay differs: " + (differences.empty() ? "" : differences.front()));
}

/// Runs the scenario for a while. For every eighth input (selected by its bytes: an input is always treated
/// alike) the trace is checked, which takes longer than the run.
inline void runShortly(const LoadedScenario& scenario, std::string_view input) {
  const Trace trace = runScenario(scenario, limited({})).trace;
  if (std::hash<std::string_view>()(input) % 8 == 0) requireReplayable(trace);
}

/// Calls `read` with the input as text.
template <class Read>
int withText(const std::uint8_t* data, std::size_t size, Read read) {
  try {
    read(std::string_view(reinterpret_cast<const char*>(data), size));
  } catch (const InputError& error) {
    requireClear(error);
  }
  return 0;
}

}  // namespace zablab::fuzz
