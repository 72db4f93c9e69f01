#include <exception>
#include <iostream>
#include <sstream>
#include <string>
#include <vector>

#include "checker/version.h"
#include "cli/commands.h"
#include "cli/manual.h"
#include "cli/options.h"
#include "cli/output.h"
#include "sim/json.h"

namespace zablab::cli {
namespace {

ExitCode manualCommand(const Words& words);
ExitCode completionCommand(const Words& words);

const std::vector<CommandEntry>& entries() {
  static const std::vector<CommandEntry> all{
      {"run", &runCommand, "run scenarios and tables, and report what held"},
      {"replay", &replayCommand, "run a trace again and compare"},
      {"render", &renderCommand, "draw a trace as SVG, PNG, DOT or text, or write it for other tools"},
      {"explain", &explainCommand, "describe in sentences what happened in a trace, and why"},
      {"diff", &diffCommand, "where two traces part, and how their results differ"},
      {"step", &stepCommand, "go through a run step by step, and change it"},
      {"fuzz", &fuzzCommand, "run random seeds with faults, and shrink what they find"},
      {"check", &checkCommand, "search every state that a model's bounds allow"},
      {"compare", &compareCommand,
       "put the same faults to several protocols, and compare what clients notice"},
      {"shrink", &shrinkCommand, "reduce a failing trace or scenario"},
      {"merge", &mergeCommand, "add up the results of several shards"},
      {"conform", &conformCommand, "compare the nodes with what real servers did"},
      {"validate", &validateCommand, "check files without running them"},
      {"new", &newCommand, "print a scenario to start from"},
      {"schema", &schemaCommand, "print the JSON Schema of a format"},
      {"list", &listCommand,
       "list variants, rules, mutations, invariants, scenarios, events and their fields"},
      {"manual", &manualCommand, "print the manual page"},
      {"completion", &completionCommand, "print completions of command lines for bash or zsh"},
  };
  return all;
}

void printHelp(std::ostream& out) {
  out << "zablab runs the elections and the replication of ZooKeeper and of other systems in a simulated\n"
         "network, the same run each time; checks what must hold, and shows what happened.\n\n"
         "Examples:\n"
         "  zablab run scenarios                     every shipped scenario, one line each\n"
         "  zablab run FILE --text --svg out.svg     watch one, and draw it\n"
         "  zablab run FILE --seed 7 --trace t.json  other latencies; keep the trace\n"
         "  zablab replay t.json                     run it again and compare every event\n"
         "  zablab new --servers 5 > my.json         start your own\n\n"
         "Commands:\n";
  for (const CommandEntry& entry : entries()) {
    out << "  " << entry.name << std::string(12 - entry.name.size(), ' ') << entry.text << "\n";
  }
  out << "\nzablab COMMAND --help shows more; zablab --version prints the version.\n\n"
         "Exit status: 0 all held; 1 an invariant was violated, an expectation failed or a replay differed;\n"
         "2 usage or bad input; 3 undecided: a limit was reached before, or there was nothing to compare;\n"
         "4 trouble, for example a full disk. Of several, the first of 2, 4, 1, 3, 0. NO_COLOR turns off\n"
         "colours; pictures are ASCII if the locale (LC_ALL, LC_CTYPE, LANG) is not UTF-8.\n";
}

ExitCode manualCommand(const Words& words) {
  Command command{
      .usage = "zablab manual", .examples = "  zablab manual | man -l -     reads it\n", .positional = ""};
  if (!parse(command, words)) return held;
  std::ostringstream overview;
  printHelp(overview);
  std::cout << manualPage(entries(), overview.str(), ZABLAB_VERSION);
  return held;
}

ExitCode completionCommand(const Words& words) {
  Command command{.usage = "zablab completion bash|zsh",
                  .examples =
                      "  eval \"$(zablab completion bash)\"                    in ~/.bashrc\n"
                      "  zablab completion zsh > ~/.zsh/_zablab               in a directory of $fpath\n",
                  .positional = "shell"};
  const auto values = parse(command, words);
  if (!values) return held;
  const auto shells = all(*values, "shell");
  if (shells == Words{"bash"}) {
    std::cout << bashCompletion(entries());
  } else if (shells == Words{"zsh"}) {
    std::cout << zshCompletion(entries());
  } else {
    throw UsageError("which shell? usage: " + command.usage);
  }
  return held;
}

ExitCode dispatch(const Words& words) {
  if (words.empty()) {
    printHelp(std::cerr);
    return bad_input;
  }
  if (words[0] == "help" && words.size() > 1) return dispatch({words[1], "--help"});
  if (words[0] == "--help" || words[0] == "-h" || words[0] == "help") {
    printHelp(std::cout);
    return held;
  }
  if (words[0] == "--version") {
    std::cout << "zablab " ZABLAB_VERSION "\n";
    return held;
  }
  std::vector<std::string> names;
  for (const CommandEntry& entry : entries()) {
    if (entry.name == words[0]) return entry.run(Words(words.begin() + 1, words.end()));
    names.push_back(entry.name);
  }
  throw UsageError("there is no command " + inBackticks(words[0]) +
                   didYouMean(words[0], names, "; see zablab --help"));
}

}  // namespace
}  // namespace zablab::cli

int main(int count, char** words) {
  using namespace zablab;
  const cli::EscapedOutput escaped_output(std::cout);
  const cli::EscapedOutput escaped_errors(std::cerr);
  try {
    const cli::ExitCode code = cli::dispatch(cli::Words(words + 1, words + count));
    std::cout.flush();
    if (!std::cout) throw cli::EnvironmentError("cannot write to standard output");
    return code;
  } catch (const cli::UsageError& error) {
    std::cerr << "zablab: " << cli::printableLines(error.what()) << "\n";
    return cli::bad_input;
  } catch (const InputError& error) {
    std::cerr << error.what() << "\n";
    return cli::bad_input;
  } catch (const std::exception& error) {
    std::cerr << "zablab: " << cli::printableLines(error.what()) << "\n";
    return cli::trouble;
  }
}
