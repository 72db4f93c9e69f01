#include <array>
#include <iostream>
#include <map>

#include "checker/zab/conform.h"
#include "cli/files.h"
#include "cli/output.h"
#include "cli/overrides.h"
#include "sim/zab/binding.h"

namespace zablab::cli {
namespace {

using zab::Agreement;

std::string dump(const Json& line) { return line.dump(-1, ' ', false, Json::error_handler_t::replace); }

/// How one record of a recording fared, ready to be printed.
struct Line {
  Agreement agreement = Agreement::agrees;
  std::string what;  ///< which record it is, for people
  std::string why;
  Json fields;
};

void print(const std::string& file, std::size_t index, const Line& line, bool json) {
  if (json) {
    Json object{{"file", file}, {"index", index}};
    object.update(line.fields);
    object["agreement"] = std::string(enumName(line.agreement));
    if (!line.why.empty()) object["why"] = line.why;
    std::cout << dump(object) << "\n";
    return;
  }
  constexpr std::array colours{"\033[32m", "\033[31m", "\033[33m"};
  const bool coloured = colourWanted();
  std::cout << (coloured ? colours[static_cast<std::size_t>(line.agreement)] : "") << enumName(line.agreement)
            << (coloured ? "\033[0m" : "") << "  " << printable(file) << "[" << index << "]  "
            << printable(line.what) << "\n";
  if (!line.why.empty()) std::cout << "    " << printable(line.why) << "\n";
}

/// How many records fared how.
struct Counts {
  std::array<std::uint64_t, 3> of{};

  void add(Agreement agreement) { ++of[static_cast<std::size_t>(agreement)]; }
  std::uint64_t operator[](Agreement agreement) const { return of[static_cast<std::size_t>(agreement)]; }
  std::uint64_t all() const { return of[0] + of[1] + of[2]; }
  Json json() const { return {{"agree", of[0]}, {"differ", of[1]}, {"undecidable", of[2]}}; }
  std::string words() const { return std::to_string(of[0]) + " agree, " + std::to_string(of[1]) + " differ"; }
};

struct Elections {
  static constexpr const char* records = "calls";
  Counts counts;
  std::uint64_t decided = 0;   ///< in agreement, with a moment to compare
  std::uint64_t punctual = 0;  ///< of these

  static auto read(const JsonValue& document) { return zab::readElectionCalls(document); }

  Line judge(const zab::ElectionCall& call, const zab::Rules& rules) {
    const zab::ElectionVerdict verdict = conform(call, rules);
    counts.add(verdict.agreement);
    decided += verdict.late_ms ? 1 : 0;
    punctual += verdict.punctual() ? 1 : 0;
    Line line{verdict.agreement,
              call.scenario + ", server " + std::to_string(call.sid) + ", round " +
                  std::to_string(call.round) + ": ",
              verdict.why,
              {{"scenario", call.scenario}, {"server", call.sid}, {"t", call.t}}};
    line.what += call.result ? std::string(enumName(call.result->state)) + " with the vote for " +
                                   std::to_string(call.result->leader)
                             : "ended before it decided";
    line.fields["decisive"] = verdict.decisive;
    if (verdict.notification) line.fields["notification"] = *verdict.notification;
    if (verdict.late_ms) {
      line.fields["late_ms"] = *verdict.late_ms;
      if (!verdict.punctual())
        line.what += ", " + std::to_string(*verdict.late_ms) + " ms later than the node";
    }
    return line;
  }

  Json summary() const {
    Json json = counts.json();
    json["undecidable"] = counts[Agreement::undecidable];
    json["moments"] = decided;
    json["punctual"] = punctual;
    return json;
  }
  std::string words() const {
    return counts.words() + ", " + std::to_string(counts[Agreement::undecidable]) + " undecidable; " +
           std::to_string(punctual) + " of " + std::to_string(decided) + " moments of decision within " +
           std::to_string(zab::punctual_ms) + " ms";
  }
};

struct Syncs {
  static constexpr const char* records = "decisions";
  Counts counts;         ///< of those that were recorded as they are
  Counts reconstructed;  ///< of those whose log was put together afterwards

  static auto read(const JsonValue& document) { return zab::readSyncDecisions(document); }

  Line judge(const zab::SyncDecision& decision, const zab::Rules& rules) {
    const zab::SyncVerdict verdict = conform(decision, rules);
    (decision.reconstructed ? reconstructed : counts).add(verdict.agreement);
    return {verdict.agreement,
            decision.scenario + ", " + std::to_string(decision.leader) + " to " +
                std::to_string(decision.learner) + ": " + std::string(enumName(decision.sent.op)) + " " +
                zab::text(decision.sent.zxid.value) + (decision.reconstructed ? " (reconstructed)" : ""),
            verdict.why,
            {{"scenario", decision.scenario},
             {"leader", decision.leader},
             {"learner", decision.learner},
             {"reconstructed", decision.reconstructed}}};
  }

  Json summary() const {
    Json json = counts.json();
    json["reconstructed"] = reconstructed.json();
    return json;
  }
  std::string words() const {
    return counts.words() + (reconstructed.all() == 0 ? ""
                                                      : "; of " + std::to_string(reconstructed.all()) +
                                                            " reconstructed ones " + reconstructed.words());
  }
};

/// Judges every record of every file.
template <class Kind>
ExitCode conformAll(const std::vector<std::string>& files, const zab::Rules& rules, bool json) {
  Kind kind;
  ExitCode code = held;
  std::uint64_t all = 0, agree = 0;
  for (const std::string& file : files) {
    try {
      const auto records = Kind::read(loadJson(file));
      for (std::size_t i = 0; i < records.size(); ++i) {
        const Line line = kind.judge(records[i], rules);
        if (line.agreement == Agreement::differs) code = larger(code, broken);
        ++all;
        agree += line.agreement == Agreement::agrees ? 1 : 0;
        print(file, i, line, json);
      }
    } catch (const InputError& error) {
      code = larger(code, bad_input);
      if (json) {
        std::cout << dump(errorLine(file, error)) << "\n";
      } else {
        std::cerr << error.what() << "\n";
      }
    }
  }
  if (json) {
    Json summary{{Kind::records, all}};
    summary.update(kind.summary());
    std::cout << dump({{"summary", summary}}) << "\n";
  } else if (all > 0) {
    std::cout << "\n" << all << " " << Kind::records << ": " << kind.words() << "\n";
  }
  return agree == 0 && code == held ? inconclusive : code;
}

}  // namespace

ExitCode conformCommand(const Words& words) {
  bool json = false;
  Command command{
      .usage = "zablab conform election|sync FILE... [options]",
      .examples =
          "Gives the nodes what real servers were given, and compares what they do.\n\n"
          "Examples:\n"
          "  zablab conform election recordings/zookeeper-3.8.0/election_calls.json\n"
          "  zablab conform sync recordings/zookeeper-3.8.0/sync_decisions.json\n"
          "  zablab conform election my/election_calls.json --json\n"
          "  zablab conform sync my/sync_decisions.json --variant zookeeper-3.4    would 3.4 do so?\n\n"
          "docs/conformance.md says how recordings are made, recordings/README.md what is in them.\n\n"
          "Exit status: 0 nothing differs, 1 something does, 2 bad input, 3 nothing could be told.\n",
      .positional = "word"};
  command.options.add_options()("json", po::bool_switch(&json), "print one JSON object for each record");
  addRuleOptions(command);
  const auto values = parse(command, words);
  if (!values) return held;
  std::vector<std::string> named = all(*values, "word");
  if (named.empty()) throw UsageError("what kind of recording is it? usage: " + command.usage);
  const std::string kind = named.front();
  named.erase(named.begin());
  if (kind != "election" && kind != "sync") {
    throw UsageError("there is no kind of recording " + inBackticks(kind) +
                     didYouMean(kind, {"election", "sync"}, "; kinds are: election, sync"));
  }
  if (named.empty()) throw UsageError("no recording is named; usage: " + command.usage);
  const Overrides overrides = ruleOverrides(*values);
  Scenario scenario;
  if (overrides.variant) scenario.variant = *overrides.variant;
  for (const auto& [rule, value] : overrides.rules) scenario.rules[rule] = value;
  scenario.mutations = overrides.mutations;
  const zab::Rules rules = Binding<zab::Family>::rules(scenario, {});
  return kind == "election" ? conformAll<Elections>(named, rules, json)
                            : conformAll<Syncs>(named, rules, json);
}

}  // namespace zablab::cli
