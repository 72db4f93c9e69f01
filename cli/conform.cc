#include <algorithm>
#include <array>
#include <iostream>

#include "checker/conformance.h"
#include "checker/protocol.h"
#include "cli/files.h"
#include "cli/output.h"
#include "cli/overrides.h"

namespace zablab::cli {
namespace {

void print(const std::string& file, std::size_t index, const ConformLine& line, bool json) {
  if (json) {
    Json object{{"file", file}, {"index", index}};
    object.update(line.fields);
    object["agreement"] = std::string(enumName(line.agreement));
    if (!line.why.empty()) object["why"] = line.why;
    std::cout << onOneLine(object) << "\n";
    return;
  }
  constexpr std::array colours{"\033[32m", "\033[31m", "\033[33m"};
  const bool coloured = colourWanted();
  std::cout << (coloured ? colours[static_cast<std::size_t>(line.agreement)] : "") << enumName(line.agreement)
            << (coloured ? "\033[0m" : "") << "  " << printable(file) << "[" << index << "]  "
            << printable(line.what) << "\n";
  if (!line.why.empty()) std::cout << "    " << printable(line.why) << "\n";
}

/// Judges every record of every file.
ExitCode conformAll(const std::vector<std::string>& files, Conformance& kind, bool json) {
  ExitCode code = held;
  std::uint64_t all = 0, undecided = 0;
  for (const std::string& file : files) {
    try {
      const std::vector<ConformLine> lines = kind.judge(loadJson(file));
      for (std::size_t i = 0; i < lines.size(); ++i) {
        const ConformLine& line = lines[i];
        if (line.agreement == Agreement::differs) code = larger(code, broken);
        ++all;
        undecided += line.agreement == Agreement::undecidable ? 1 : 0;
        print(file, i, line, json);
      }
    } catch (const InputError& error) {
      code = larger(code, bad_input);
      if (json) {
        std::cout << onOneLine(errorLine(file, error)) << "\n";
      } else {
        std::cerr << error.what() << "\n";
      }
    }
  }
  const std::string records(kind.records());
  std::string open;
  if (all == 0) open = "there are no " + records;
  if (undecided > 0)
    open = std::to_string(undecided) + " of " + std::to_string(all) + " " + records + " cannot be decided";
  if (!open.empty()) code = larger(code, inconclusive);
  if (json) {
    Json summary{{records, all}};
    summary.update(kind.summary());
    const char* const verdict = code == broken ? "differs" : code == inconclusive ? "undecided" : "agrees";
    if (code != bad_input) summary["verdict"] = verdict;
    summary["undecided"] = open.empty() ? Json::array() : Json::array({open});
    std::cout << onOneLine({{"summary", summary}}) << "\n";
  } else {
    if (all > 0) std::cout << "\n" << all << " " << records << ": " << kind.words() << "\n";
    if (!open.empty() && code != bad_input) std::cout << "undecided: " << open << "\n";
  }
  return code;
}

}  // namespace

ExitCode conformCommand(const Words& words) {
  bool json = false;
  Command command{
      .usage = "zablab conform election|sync|client FILE... [options]",
      .examples =
          "Gives the nodes the recorded inputs of real servers, and compares what they do.\n\n"
          "Examples:\n"
          "  zablab conform election recordings/zookeeper-3.8.0/election_calls.json\n"
          "  zablab conform sync recordings/zookeeper-3.8.0/sync_decisions.json\n"
          "  zablab conform client recordings/zookeeper-3.8.0-clients/facts.json\n"
          "  zablab conform election my/election_calls.json --json\n"
          "  zablab conform sync my/sync_decisions.json --variant zookeeper-3.4    would 3.4 do the same?\n\n"
          "docs/conformance.md describes how to make recordings, recordings/README.md their content.\n\n"
          "Exit status: 0 everything agrees, 1 something differs, 2 bad input, 3 undecided (nothing\n"
          "differs, and a record cannot be decided, or there is none).\n",
      .positional = "word"};
  command.options.add_options()("json", po::bool_switch(&json), "print one JSON object for each record");
  addRuleOptions(command);
  const auto values = parse(command, words);
  if (!values) return held;
  std::vector<std::string> named = all(*values, "word");
  if (named.empty()) throw UsageError("what kind of recording is it? usage: " + command.usage);
  const std::string kind = named.front();
  named.erase(named.begin());
  std::vector<RecordingKind> kinds;
  for (const Protocol* protocol : protocols()) {
    for (RecordingKind& one : protocol->recordingKinds()) kinds.push_back(std::move(one));
  }
  const auto chosen = std::find_if(kinds.begin(), kinds.end(), [&](auto& one) { return one.name == kind; });
  if (chosen == kinds.end()) {
    std::vector<std::string> known;
    for (const RecordingKind& one : kinds) known.push_back(one.name);
    throw UsageError("there is no kind of recording " + inBackticks(kind) +
                     didYouMean(kind, known, "; kinds are: election, sync, client"));
  }
  if (named.empty()) throw UsageError("no recording is named; usage: " + command.usage);
  const Overrides overrides = ruleOverrides(*values);
  Scenario scenario;
  if (overrides.variant) scenario.variant = *overrides.variant;
  for (const auto& [rule, value] : overrides.rules) scenario.rules[rule] = value;
  scenario.mutations = overrides.mutations;
  return conformAll(named, *chosen->begin(scenario), json);
}

}  // namespace zablab::cli
