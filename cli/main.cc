#include <array>
#include <exception>
#include <iostream>
#include <string>
#include <vector>

#include "cli/commands.h"
#include "cli/output.h"
#include "sim/json.h"

namespace zablab::cli {
namespace {

struct Entry {
  std::string name;
  ExitCode (*run)(const Words&);
  std::string text;
};

const std::vector<Entry>& entries() {
  static const std::vector<Entry> all{
      {"run", &runCommand, "run scenarios and tables"},
      {"replay", &replayCommand, "run a trace again and compare"},
      {"render", &renderCommand, "draw a trace"},
      {"validate", &validateCommand, "check files without running them"},
      {"new", &newCommand, "print a scenario to begin with"},
      {"schema", &schemaCommand, "print the JSON Schema of a format"},
      {"list", &listCommand, "list variants, rules, mutations, invariants"},
  };
  return all;
}

void printHelp() {
  std::cout << "zablab runs ZooKeeper's election and broadcast in a simulated network.\n\n"
               "Examples:\n"
               "  zablab run scenarios                             every shipped scenario, a line each\n"
               "  zablab run FILE --text --svg picture.svg         watch one\n"
               "  zablab new --servers 5 > my.json                 begin your own\n\n"
               "Commands:\n";
  for (const Entry& entry : entries()) {
    std::cout << "  " << entry.name << std::string(10 - entry.name.size(), ' ') << entry.text << "\n";
  }
  std::cout << "\nzablab COMMAND --help tells more. Exit status: 0 held, 1 violated or failed, 2 bad input, 3 cannot tell,\n"
               "4 trouble.\n";
}

ExitCode dispatch(const Words& words) {
  if (words.empty() || words[0] == "--help" || words[0] == "-h" || words[0] == "help") {
    printHelp();
    return words.empty() ? bad_input : held;
  }
  if (words[0] == "--version") {
    std::cout << "zablab " ZABLAB_VERSION "\n";
    return held;
  }
  std::vector<std::string> names;
  for (const Entry& entry : entries()) {
    if (entry.name == words[0]) return entry.run(Words(words.begin() + 1, words.end()));
    names.push_back(entry.name);
  }
  const std::string near = nearest(words[0], names);
  throw UsageError("there is no command " + inBackticks(words[0]) +
                   (near.empty() ? "; see zablab --help" : "; did you mean zablab " + near + "?"));
}

}  // namespace
}  // namespace zablab::cli

int main(int count, char** words) {
  using namespace zablab;
  try {
    const cli::ExitCode code = cli::dispatch(cli::Words(words + 1, words + count));
    std::cout.flush();
    if (!std::cout) throw cli::EnvironmentError("cannot write to standard output");
    return code;
  } catch (const cli::UsageError& error) {
    std::cerr << "zablab: " << error.what() << "\n";
    return cli::bad_input;
  } catch (const InputError& error) {
    std::cerr << error.what() << "\n";
    return cli::bad_input;
  } catch (const std::exception& error) {
    std::cerr << "zablab: " << error.what() << "\n";
    return cli::trouble;
  }
}
