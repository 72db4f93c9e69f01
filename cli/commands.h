// The commands. Each takes the words after its name and returns the exit status.
#pragma once

#include <stdexcept>
#include <string>
#include <vector>

#include "cli/exit_codes.h"

namespace zablab {
class Ranks;
}

namespace zablab::cli {

using Words = std::vector<std::string>;

/// An invalid command line. what() states why and what to do.
class UsageError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// A command of the program.
struct CommandEntry {
  std::string name;
  ExitCode (*run)(const Words&);
  std::string text;  ///< one line
};

ExitCode runCommand(const Words& words);
ExitCode replayCommand(const Words& words);
ExitCode renderCommand(const Words& words);
ExitCode explainCommand(const Words& words);
ExitCode diffCommand(const Words& words);
ExitCode stepCommand(const Words& words);
ExitCode checkCommand(const Words& words);
/// With other processes, the first of which writes files. `together` becomes false if one of them is lost.
ExitCode checkCommand(const Words& words, Ranks& ranks, bool& together);
ExitCode compareCommand(const Words& words);
ExitCode conformCommand(const Words& words);
ExitCode fuzzCommand(const Words& words);
ExitCode shrinkCommand(const Words& words);
ExitCode mergeCommand(const Words& words);
ExitCode validateCommand(const Words& words);
ExitCode newCommand(const Words& words);
ExitCode schemaCommand(const Words& words);
ExitCode listCommand(const Words& words);

}  // namespace zablab::cli
