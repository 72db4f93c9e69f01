#include <unistd.h>

#include <iostream>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "cli/files.h"
#include "cli/options.h"
#include "cli/output.h"
#include "cli/overrides.h"
#include "cli/stepper.h"
#include "cli/terminal.h"

namespace zablab::cli {
namespace {

Stepper stepperOf(const po::variables_map& values, const std::string& seed, const Command& command) {
  const auto files = all(values, "file");
  if (files.size() != 1) throw UsageError("one scenario or trace at a time; usage: " + command.usage);
  if (files[0] == "-")
    throw UsageError("standard input has the commands; the scenario or trace has to be a file");
  const auto loaded = loadRun(files[0]);
  if (!loaded)
    throw UsageError(printable(files[0]) +
                     " is neither a scenario nor a trace; zablab check searches models");
  Overrides overrides = ruleOverrides(values);
  if (values.contains("seed")) {
    if (loaded->recorded) throw UsageError("--seed: a trace has the choices of its run already");
    overrides.seed = numberOf("--seed", seed, 0, std::numeric_limits<std::uint64_t>::max());
  }
  return {withOverrides(*loaded, overrides), files[0]};
}

/// Reads commands to the end. On a terminal an error is reported and the next command is read; otherwise it
/// ends the program, because what follows was written for another position.
ExitCode readCommands(Stepper& stepper) {
  const bool terminal = isatty(STDIN_FILENO) != 0 && isatty(STDOUT_FILENO) != 0;
  const std::vector<std::string> commands = Stepper::commands();
  std::string line;
  for (std::size_t number = 1; !stepper.over(); ++number) {
    if (terminal) {
      std::optional<std::string> typed = typedLine(commands);
      if (!typed) break;
      line = std::move(*typed);
    } else if (!std::getline(std::cin, line)) {
      break;
    }
    if (!terminal && !line.empty()) std::cout << "\n> " << printable(line) << "\n";
    ExitCode code = held;
    std::string error;
    try {
      std::cout << stepper.perform(line) << std::flush;
      continue;
    } catch (const UsageError& wrong) {
      code = bad_input;
      error = std::string("zablab: ") + wrong.what();
    } catch (const InputError& wrong) {
      code = bad_input;
      error = wrong.what();
    } catch (const EnvironmentError& wrong) {
      code = trouble;
      error = std::string("zablab: ") + wrong.what();
    }
    std::cout << std::flush;
    error = printableLines(error) + "\n";
    if (!terminal) {
      std::cerr << "zablab: line " << number << " of the commands, " << inBackticks(line) << ":\n" << error;
      return code;
    }
    std::cerr << error;
  }
  return held;
}

}  // namespace

ExitCode stepCommand(const Words& words) {
  std::string seed;
  Command command{
      .usage = "zablab step SCENARIO|TRACE [options]",
      .examples =
          "Goes through a run step by step, and changes it. Reads commands from standard input, one a line;\n"
          "`help` lists them.\n\n"
          "Examples:\n"
          "  zablab step my.json                                on the terminal\n"
          "  printf 'until role 3\\nkill 3\\nuntil end\\nsave changed.json\\n' | zablab step my.json\n"
          "  zablab step my.json < commands.txt                 the same each time\n\n"
          "Exit status: 0; 2 bad input or, if the commands are not from a terminal, a command that cannot "
          "be\n"
          "done; 4 trouble, for example a file that cannot be written.\n",
      .positional = "file"};
  command.options.add_options()  //
      ("seed", po::value(&seed)->value_name("N"), "draw latencies and other choices from this seed");
  addRuleOptions(command);
  const auto values = parse(command, words);
  if (!values) return held;
  Stepper stepper = stepperOf(*values, seed, command);
  std::cout << stepper.begin() << std::flush;
  return readCommands(stepper);
}

}  // namespace zablab::cli
