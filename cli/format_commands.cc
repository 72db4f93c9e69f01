#include <array>
#include <iostream>

#include "checker/execute.h"
#include "checker/families.h"
#include "checker/tables.h"
#include "cli/options.h"
#include "cli/output.h"

namespace zablab::cli {
namespace {

void printList(const std::vector<NamedText>& rows, bool json) {
  if (json) {
    Json array = Json::array();
    for (const NamedText& row : rows) array.push_back({{"name", row.name}, {"text", row.text}});
    std::cout << array.dump(2) << "\n";
    return;
  }
  std::size_t width = 0;
  for (const NamedText& row : rows) width = std::max(width, row.name.size());
  for (const NamedText& row : rows) {
    std::cout << row.name << std::string(width + 2 - row.name.size(), ' ') << row.text << "\n";
  }
}

}  // namespace

ExitCode validateCommand(const Words& words) {
  Command command{.usage = "zablab validate FILE...",
                  .examples = "Reads scenarios, tables and models and says what is wrong with them.\n\n"
                              "Example:\n  zablab validate my.json\n",
                  .positional = "file"};
  const auto values = parse(command, words);
  if (!values) return held;
  const auto files = all(*values, "file");
  if (files.empty()) throw UsageError("nothing to validate; usage: " + command.usage);
  ExitCode code = held;
  for (const std::string& file : files) {
    try {
      loadCase(file);
      std::cout << "valid  " << file << "\n";
    } catch (const InputError& error) {
      std::cerr << error.what() << "\n";
      code = bad_input;
    }
  }
  return code;
}

ExitCode newCommand(const Words& words) {
  std::int64_t servers = 3;
  Command command{.usage = "zablab new [--servers N]",
                  .examples = "Prints a scenario to begin with.\n\nExample:\n  zablab new --servers 5 > my.json\n"};
  command.options.add_options()("servers", po::value(&servers), "how many servers (3)");
  const auto values = parse(command, words);
  if (!values) return held;
  if (servers < 1 || servers > 31) throw UsageError("--servers is from 1 to 31");
  std::cout << newScenario(servers);
  return held;
}

ExitCode schemaCommand(const Words& words) {
  Command command{.usage = "zablab schema scenario|table|trace",
                  .examples = "Prints a JSON Schema, for editors that check while you type.\n\n"
                              "Example:\n  zablab schema scenario > scenario.schema.json\n",
                  .positional = "what"};
  const auto values = parse(command, words);
  if (!values) return held;
  const auto what = all(*values, "what");
  if (what.size() != 1) throw UsageError("one schema at a time; usage: " + command.usage);
  if (what[0] == "scenario") std::cout << scenarioSchema().dump(2) << "\n";
  else if (what[0] == "table") std::cout << tableSchema().dump(2) << "\n";
  else if (what[0] == "trace") std::cout << traceSchema().dump(2) << "\n";
  else throw UsageError("there is no schema of " + inBackticks(what[0]) + "; schemas are: scenario, table, trace");
  return held;
}

ExitCode listCommand(const Words& words) {
  bool json = false;
  Command command{.usage = "zablab list variants|rules|mutations|invariants|functions [--json]",
                  .examples = "Lists what can be named elsewhere.\n\n"
                              "Examples:\n  zablab list rules\n  zablab list mutations --json\n",
                  .positional = "what"};
  command.options.add_options()("json", po::bool_switch(&json), "as JSON");
  const auto values = parse(command, words);
  if (!values) return held;
  const auto what = all(*values, "what");
  const std::vector<std::pair<std::string, std::vector<NamedText> (*)()>> lists{
      {"variants", &variantList},     {"rules", &ruleList},         {"mutations", &mutationList},
      {"invariants", &invariantList}, {"functions", &functionList},
  };
  std::vector<std::string> names;
  for (const auto& [name, list] : lists) {
    names.push_back(name);
    if (what.size() == 1 && what[0] == name) {
      printList(list(), json);
      return held;
    }
  }
  const std::string near = what.size() == 1 ? nearest(what[0], names) : "";
  throw UsageError((what.size() == 1 ? "there is no list of " + inBackticks(what[0]) : std::string("one list at a time")) +
                   (near.empty() ? "; usage: " + command.usage : "; did you mean " + near + "?"));
}

}  // namespace zablab::cli
