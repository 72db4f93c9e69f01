// The files that a command line names, and their content.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "checker/execute.h"
#include "sim/state_graph.h"

namespace zablab::cli {

/// The files that the words name: files themselves, and every .json file below directories, in order. Throws
/// InputError.
std::vector<std::string> filesOf(const std::vector<std::string>& words);

/// Reads a scenario, table or model; "-" is standard input. Throws InputError.
Case readFile(const std::string& file);

/// Reads a trace; "-" is standard input. Throws InputError.
Trace loadTrace(const std::string& path);

/// Reads a graph of states; "-" is standard input. Throws InputError.
StateGraph loadStateGraph(const std::string& path);

/// The run that a scenario describes or a trace recorded; empty if the file is neither. "-" is standard
/// input. Throws InputError.
std::optional<LoadedScenario> loadRun(const std::string& path);

/// The engine for pages of the trace's protocol: the module that scripts/page.sh builds, in `live/` beside
/// the program or in the data directory of its installation. Throws EnvironmentError if there is none,
/// UsageError if the protocol is none of the program's own.
std::string engineForPages(const Trace& trace);

/// An error as `--json` prints it.
Json errorLine(const std::string& file, const InputError& error);

/// The word quoted for a shell. (Not named `quoted`: with <iomanip> that would be std::quoted, whose quoting
/// is not a shell's.)
std::string forShell(const std::string& word);

}  // namespace zablab::cli
