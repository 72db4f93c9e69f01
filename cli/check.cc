#include <sys/resource.h>

#include <algorithm>
#include <chrono>
#include <fstream>
#include <iomanip>
#include <iostream>
#include <limits>
#include <sstream>
#include <thread>

#include "checker/check/check.h"
#include "checker/check/ranks.h"
#include "checker/check/scratch.h"
#include "checker/protocol.h"
#include "cli/files.h"
#include "cli/interrupt.h"
#include "cli/options.h"
#include "cli/output.h"
#include "cli/overrides.h"
#include "sim/json_reflect.h"
#include "viz/statespace.h"

namespace zablab::cli {
namespace {

/// The request of a command line.
struct CheckRequest {
  std::vector<std::string> files;
  Overrides overrides;
  std::vector<std::pair<std::string, std::int64_t>> bounds;  ///< by name
  std::optional<std::int64_t> servers;
  std::optional<std::string> grain;
  std::vector<std::string> invariants;
  CheckOptions options;
  std::string trace;
  std::string scenario;
  std::string graph;
  bool json = false;
  bool strict = false;  ///< every invariant must have something to compare
  bool* together = nullptr;  ///< becomes false if a rank is lost

  /// The model differs from the file's, so that the file's expectations do not apply to it.
  bool changes() const {
    return overrides.any() || !bounds.empty() || servers || grain || !invariants.empty() || options.from ||
           options.states_max > 0 || options.search == SearchKind::walks || !options.towards.empty();
  }
};

std::string rate(std::uint64_t count, std::uint64_t milliseconds) {
  const double per_second =
      1000.0 * static_cast<double>(count) / static_cast<double>(std::max<std::uint64_t>(milliseconds, 1));
  std::ostringstream text;
  if (per_second >= 1e6) {
    text << std::fixed << std::setprecision(2) << per_second / 1e6 << " M";
  } else {
    text << std::fixed << std::setprecision(0) << per_second / 1e3 << " k";
  }
  return text.str();
}
std::string secondsOf(std::uint64_t milliseconds) {
  std::ostringstream text;
  text << std::fixed << std::setprecision(milliseconds < 100'000 ? 1 : 0)
       << static_cast<double>(milliseconds) / 1000 << " s";
  return text.str();
}
std::string sizeOf(std::uint64_t bytes) {
  std::ostringstream text;
  text << std::fixed << std::setprecision(1) << static_cast<double>(bytes) / (1 << 30) << " GiB";
  return text.str();
}
std::uint64_t bytesOf(const std::string& word) {
  const std::size_t digits = word.find_first_not_of("0123456789");
  const std::string unit = digits == std::string::npos ? "" : word.substr(digits);
  const std::uint64_t number = numberOf("--memory", word.substr(0, digits), 1, 1'000'000'000'000);
  if (unit == "G") return number << 30;
  if (unit == "M") return number << 20;
  if (unit.empty()) return number;
  throw UsageError("--memory requires a number of bytes, as in 8G, not " + inBackticks(word));
}

/// Three quarters of the memory that the control group of this process (a container's, a job's) may use, and
/// a third of the addresses that ulimit -v leaves; without limits, everything.
std::uint64_t memoryAllowed() {
  std::uint64_t allowed = std::numeric_limits<std::uint64_t>::max();
  const auto consider = [&](const std::string& path) {
    std::ifstream file(path);
    std::uint64_t bytes = 0;  // the word "max" is not a number
    if (file >> bytes) allowed = std::min(allowed, bytes / 4 * 3);
  };
  std::ifstream groups("/proc/self/cgroup");
  for (std::string line; std::getline(groups, line);) {  // 0::/a/b, or 9:memory:/a/b
    const std::size_t path_at = line.find(':', line.find(':') + 1);
    if (path_at == std::string::npos) continue;
    const bool unified = line.starts_with("0::");
    if (!unified && line.find(":memory:") == std::string::npos) continue;
    const std::string root = unified ? "/sys/fs/cgroup" : "/sys/fs/cgroup/memory";
    const std::string name = unified ? "/memory.max" : "/memory.limit_in_bytes";
    std::string path = line.substr(path_at + 1);
    while (true) {  // a limit further up applies as well
      consider(root + path + name);
      if (path.empty()) break;
      path.erase(path.rfind('/'));
    }
  }
  rlimit addresses{};
  if (getrlimit(RLIMIT_AS, &addresses) == 0 && addresses.rlim_cur != RLIM_INFINITY)
    allowed = std::min<std::uint64_t>(allowed, addresses.rlim_cur / 3);
  return std::max<std::uint64_t>(allowed, 64ULL << 20);
}

std::string listed(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : ", ") + name;
  return text;
}

/// Why the search does not decide what was asked: a limit, or an invariant that had nothing to compare, be it
/// one that was named or, with `strict`, any. Without names one that had is enough, or a goal.
std::vector<std::string> undecidedBy(const Model& model, const CheckResult& result, bool strict) {
  if (result.verdict == "violated" || result.verdict == "reached") return {};
  if (!result.exhausted) return {"stopped by " + result.stopped_by};
  std::string idle;
  bool any = !result.goals.empty();
  for (const auto& one : result.invariants) {
    if (one.verdict == "not exercised")
      idle += (idle.empty() ? "" : ", ") + one.name;
    else
      any = true;
  }
  if (result.liveness) {
    std::vector<std::string> never_due;
    for (const auto& one : result.liveness->properties) {
      if (one.verdict == "not exercised") never_due.push_back(one.name);
    }
    if (!never_due.empty()) return {"nothing has to happen for " + listed(never_due)};
    any = true;
  }
  if (strict || !model.invariants.empty() ? idle.empty() : any) return {};
  return {"nothing to compare" + (idle.empty() ? "" : " for " + idle)};
}

std::string inWords(const CheckResult& result, const std::vector<std::string>& undecided) {
  if (!undecided.empty() && result.exhausted) return "undecided, exhausted: " + undecided.front();
  std::string text = result.verdict;
  if (result.verdict == "reached") return text + " after " + std::to_string(result.length) + " actions";
  if (!result.violated.empty()) {
    const bool goal = std::any_of(result.goals.begin(), result.goals.end(),
                                  [&](const auto& one) { return one.name == result.violated; });
    const char* const how = goal                 ? ": reached, and must not be: "
                            : result.loop_length ? ": it need not happen: "
                                                 : ": ";
    text += how + printable(result.violated);
    if (result.scenario)
      text += ", after " + std::to_string(result.length - result.loop_length.value_or(0)) + " actions";
    if (result.loop_length)
      text += *result.loop_length == 0
                  ? " nothing has to happen any more"
                  : " " + std::to_string(*result.loop_length) + " can be repeated for ever";
  }
  if (result.exhausted) {
    text += ", exhausted";
  } else if (result.verdict != "violated") {
    text += ", not exhausted: stopped by " + result.stopped_by;
  }
  return text;
}

/// What is promised, in words: "weak of deliver, fire; strong of sync".
std::string inWords(const FairnessByName& fairness) {
  std::string text;
  for (const Fairness strength : {Fairness::weak, Fairness::strong}) {
    std::vector<std::string> names;
    for (const auto& [name, of] : fairness) {
      if (of == strength) names.push_back(name);
    }
    if (!names.empty())
      text += (text.empty() ? "" : "; ") + std::string(enumName(strength)) + " of " + listed(names);
  }
  return text.empty() ? "none" : text;
}

void printLiveness(std::ostream& out, const LivenessReport& liveness) {
  std::string graph = "liveness: " + grouped(liveness.states) + " states, " + grouped(liveness.transitions) +
                      " transitions without monitors";
  if (liveness.leaving > 0)
    graph +=
        "; " + grouped(liveness.leaving) + " exceed the budget of elections, and what follows is not judged";
  out << "  " << wrapped(graph + "; fairness: " + inWords(liveness.fairness), columns, 4) << "\n";
  for (const auto& one : liveness.properties) {
    std::string line = one.verdict + ": " + printable(one.name);
    if (one.verdict == "held")
      line += one.needs.empty() ? "; without any fairness, too"
                                : "; it needs the fairness of " + listed(one.needs);
    out << "  " << wrapped(line, columns, 4) << "\n";
  }
}

void printResult(std::ostream& out, const Model& model, const std::string& file, const CheckResult& result,
                 const std::vector<std::string>& problems, const std::vector<std::string>& undecided,
                 bool compared) {
  out << printable(model.name) << "  " << printable(file) << "\n  "
      << wrapped(inWords(result, undecided), columns, 4) << "\n";
  out << "  " << grouped(result.distinct) << " distinct states, " << grouped(result.generated)
      << " generated, depth " << result.depth << "; " << grouped(result.terminal) << " are terminal, "
      << grouped(result.pruned) << " exceed the budget of elections";
  if (!result.exhausted && result.frontier > 0) out << "; " << grouped(result.frontier) << " wait";
  if (result.resumed > 0) out << "; went on from a checkpoint with " << grouped(result.resumed);
  out << "\n  " << secondsOf(result.milliseconds) << ", " << rate(result.distinct, result.milliseconds)
      << " distinct/s, " << rate(result.generated, result.milliseconds) << " transitions/s, "
      << sizeOf(result.memory_bytes);
  if (result.disk_bytes > 0) out << " and " << sizeOf(result.disk_bytes) << " on disk";
  if (result.ranks > 1)
    out << " of " << result.ranks << " ranks, which sent " << grouped(result.states_sent) << " states, "
        << result.bytes_sent / std::max<std::uint64_t>(1, result.states_sent) << " bytes each";
  out << "; ";
  if (!result.fingerprints) {
    out << "whole states, none is missed";
  } else if (result.omission_one_in == 0) {
    out << "fingerprints of 64 bits";
  } else {
    out << "fingerprints of 64 bits: one in " << grouped(result.omission_one_in)
        << " such searches misses a state";
  }
  if (!result.huge_pages) out << "; the system grants no huge pages";
  out << "\n";
  for (const std::string& line : result.switches) out << "  " << wrapped(line, columns, 4) << "\n";
  std::string components;
  for (const auto& one : result.components)
    components += (components.empty() ? "" : ", ") + one.name + " " + grouped(one.values);
  if (!components.empty()) out << "  " << wrapped("distinct values: " + components, columns, 4) << "\n";
  for (const auto& one : result.without) {
    out << "  without " << one.name << ": " << grouped(one.values) << " states\n";
  }
  std::string moves;
  for (const auto& [name, count] : result.moves)
    moves += (moves.empty() ? "" : ", ") + name + " " + grouped(count);
  out << "  " << wrapped("transitions: " + moves, columns, 4) << "\n";
  std::string held, idle;
  for (const auto& one : result.invariants) {
    if (one.verdict == "held") held += (held.empty() ? "" : ", ") + one.name;
    if (one.verdict == "not exercised") idle += (idle.empty() ? "" : ", ") + one.name;
  }
  if (!held.empty())
    out << "  " << wrapped((result.exhausted ? "held: " : "held so far: ") + held, columns, 4) << "\n";
  if (!idle.empty()) out << "  " << wrapped("not exercised: " + idle, columns, 4) << "\n";
  for (const auto& goal : result.goals) {
    out << "  " << (goal.never ? "must not be reached: " : "reached: ") << printable(goal.name) << ": "
        << (goal.depth ? "at depth " + std::to_string(*goal.depth)
                       : std::string(result.exhausted ? "never" : "not so far"))
        << "\n";
  }
  if (result.liveness) printLiveness(out, *result.liveness);
  for (const std::string& problem : problems) out << "  unexpected: " << printable(problem) << "\n";
  if (result.verdict == "undecided") {
    out << "  the search did not end: what the model expects is not compared\n";
  } else if (compared && problems.empty() && undecided.empty()) {
    out << "  as expected\n";
  }
  out.flush();
}

Json jsonOf(const LivenessReport& liveness) {
  Json report{{"states", liveness.states},
              {"transitions", liveness.transitions},
              {"leaving", liveness.leaving},
              {"fairness", toJson(liveness.fairness)}};
  for (const auto& one : liveness.properties)
    report["properties"][one.name] = {{"verdict", one.verdict}, {"needs", one.needs}};
  return report;
}

Json jsonOf(const Model& model, const std::string& file, const CheckOptions& options,
            const CheckResult& result, const std::vector<std::string>& problems,
            const std::vector<std::string>& undecided, const std::string& trace) {
  const std::string search(options.search == SearchKind::walks ? "random" : enumName(options.search));
  const double seconds = static_cast<double>(std::max<std::uint64_t>(result.milliseconds, 1)) / 1000;
  Json line{{"file", file},
            {"name", model.name},
            {"search", options.towards.empty() ? search : "towards"},
            {"jobs", options.threads},
            {"exact", options.exact},
            {"verdict", undecided.empty() ? result.verdict : "undecided"},
            {"violated", result.violated.empty() ? Json() : Json(result.violated)},
            {"exhausted", result.exhausted},
            {"stopped_by", result.stopped_by.empty() ? Json() : Json(result.stopped_by)},
            {"distinct", result.distinct},
            {"generated", result.generated},
            {"depth", result.depth},
            {"length", result.scenario ? Json(result.length) : Json()},
            {"seconds", seconds},
            {"distinct_per_second", static_cast<double>(result.distinct) / seconds},
            {"transitions_per_second", static_cast<double>(result.generated) / seconds},
            {"resumed", result.resumed},
            {"memory_bytes", result.memory_bytes},
            {"disk_bytes", result.disk_bytes},
            {"ranks", result.ranks},
            {"states_sent", result.states_sent},
            {"bytes_sent", result.bytes_sent},
            {"omission_odds",
             result.omission_one_in == 0 ? 0.0 : 1.0 / static_cast<double>(result.omission_one_in)},
            {"switches", result.switches},
            {"problems", problems},
            {"undecided", undecided},
            {"trace", trace.empty() ? Json() : Json(trace)}};
  for (const auto& one : result.components) line["components"][one.name] = one.values;
  for (const auto& one : result.without) line["without"][one.name] = one.values;
  for (const auto& [name, count] : result.moves) line["transitions"][name] = count;
  for (const auto& one : result.invariants)
    line["invariants"][one.name] = {{"verdict", one.verdict}, {"obligations", one.obligations}};
  for (const auto& goal : result.goals)
    line["goals"].push_back(
        {{"name", goal.name}, {"never", goal.never}, {"depth", goal.depth ? Json(*goal.depth) : Json()}});
  if (result.loop_length) line["loop"] = *result.loop_length;
  if (result.liveness) line["liveness"] = jsonOf(*result.liveness);
  return line;
}

/// The model, as modified by the command line.
LoadedModel changed(const LoadedModel& model, const CheckRequest& request) {
  Json text = model.document.plain();
  if (request.overrides.variant) text["variant"] = *request.overrides.variant;
  for (const auto& [rule, value] : request.overrides.rules) text["rules"][rule] = value;
  for (const std::string& mutation : request.overrides.mutations) text["mutations"].push_back(mutation);
  for (const auto& [name, bound] : request.bounds) text["bounds"][name] = bound;
  if (request.servers) text["servers"] = *request.servers;
  if (request.grain) text["grain"] = *request.grain;
  if (!request.invariants.empty()) text["invariants"] = request.invariants;
  const JsonValue document = JsonValue::fromJson(text, model.document.file());
  return {readModel(document), document};
}

void showProgress(const CheckResult& result) {
  showProgressLine(grouped(result.distinct) + " distinct, depth " + std::to_string(result.depth) + ", " +
                   rate(result.distinct, result.milliseconds) + "/s, " + grouped(result.frontier) +
                   " wait, " + sizeOf(result.memory_bytes));
}

ExitCode checkOne(const std::string& file, CheckRequest& request) {
  const Case one = readFile(file);
  if (one.kind != Case::Kind::model)
    throw UsageError(printable(file) + " is not a model; zablab run takes scenarios and tables");
  const LoadedModel model = request.changes() ? changed(one.model, request) : one.model;
  const bool shows = progressWanted() && !request.json;
  if (shows) request.options.progress = showProgress;
  const CheckResult result = check(model, request.options);
  if (shows) showProgressLine("");
  if (request.together != nullptr && result.stopped_by == "lost rank") *request.together = false;

  const bool compared = !request.changes();
  std::vector<std::string> problems;
  ModelExpect expect = model.spec.expect;
  if (request.options.search != SearchKind::bfs) {  // only a breadth-first search knows the depth of a state
    expect.depth.reset();
    expect.length.reset();
  }
  if (compared && result.verdict != "undecided") problems = compareWith(expect, result);
  const std::vector<std::string> undecided = undecidedBy(model.spec, result, request.strict);
  std::string trace;
  if (!request.trace.empty() && result.scenario) {
    const JsonValue document = JsonValue::fromJson(*result.scenario, file);
    const Case told = readCase(file, document);
    const Outcome outcome = runScenario(told.scenario);
    writeFile(request.trace, traceText(outcome.trace));
    trace = request.trace;
  }
  if (!request.scenario.empty() && result.scenario) writeFile(request.scenario, laidOut(*result.scenario));
  if (result.graph) {
    if (request.graph.ends_with(".json")) {
      writeFile(request.graph, stateGraphText(*result.graph));
    } else {
      writeDot(request.graph, viz::statespaceDot(*result.graph, viz::Theme::light));
    }
  }
  if (request.json) {
    std::cout << onOneLine(jsonOf(model.spec, file, request.options, result, problems, undecided, trace))
              << std::endl;
  } else {
    printResult(std::cout, model.spec, file, result, problems, undecided, compared);
    if (!trace.empty()) {
      std::cout << "  see: zablab render " << forShell(trace) << " -o out.svg\n";
    } else if (!request.trace.empty()) {
      std::cout << "  there is nothing to trace\n";
    }
    if (!request.scenario.empty() && result.scenario)
      std::cout << "  see: zablab run " << forShell(request.scenario) << " --text\n";
    if (request.graph.ends_with(".json"))
      std::cout << "  see: zablab render " << forShell(request.graph) << " --view statespace -o states.svg\n";
  }
  const bool missed = !request.options.towards.empty() && result.verdict == "holds" &&
                      std::any_of(result.goals.begin(), result.goals.end(), [&](const auto& goal) {
                        return goal.name == request.options.towards && !goal.never;
                      });
  const bool refuted = compared ? !problems.empty() : missed || result.verdict == "violated";
  return refuted ? broken : undecided.empty() ? held : inconclusive;
}

std::optional<CheckRequest> checkRequestOf(const Words& words) {
  CheckRequest request;
  std::string memory, search, grain, from;
  Command command{
      .usage = "zablab check MODEL|DIR... [options]",
      .examples =
          "Searches every state that a model's bounds allow, and reports what held and, if the model asks "
          "for\n"
          "it, whether something happens in the end; if not, how the run can go on for ever without it.\n\n"
          "Examples:\n"
          "  zablab check scenarios/models                        every shipped model, compared with its "
          "figures\n"
          "  zablab check scenarios/models/election-3.json        one\n"
          "  zablab check MODEL --mutate fle_half_is_a_quorum     with a planted bug\n"
          "  zablab check MODEL --crashes 1 --writes 2            with other bounds\n"
          "  zablab check MODEL --mutate M --trace bug.json       keep the shortest counterexample\n"
          "  zablab check MODEL --graph states.svg                draw the states of a small model\n"
          "  zablab check MODEL --search random --max-time 60     random walks instead\n"
          "  zablab check MODEL --towards GOAL --trace way.json   a way to a goal, not the shortest\n\n"
          "A model is compared with what it expects unless a flag changes it.\n\n"
          "Exit status: 0 as expected, or all held; 1 not as expected, or an invariant is violated;\n"
          "2 bad input; 3 undecided: a limit stopped the search, or there was nothing to compare (for an\n"
          "invariant that is named, or with --strict for any); 4 trouble. Of several the first of\n"
          "2, 4, 1, 3, 0.\n",
      .positional = "file"};
  addRuleOptions(command);
  std::map<std::string, std::string> bounds;
  command.options.add_options()("servers", po::value<std::string>()->value_name("N"),
                                "the number of servers, all voters");
  const std::vector<std::pair<const char*, const char*>> budget_texts{
      {"elections", "elections that servers begin, beyond each one's first"},
      {"crashes", "servers that end"},
      {"restarts", "servers that start again"},
      {"partitions", "cuts between two servers"},
      {"timeouts", "timers that fire although nothing is wrong"},
      {"writes", "writes that clients ask for; without clients, of a leader itself"},
      {"reads", "reads that clients ask for"},
      {"turns", "times that a client connects to another server"},
      {"disk_errors", "writes to a log that fail"},
      {"overtakes", "connections that are read before the previous one was read to its end"},
      {"pauses", "servers whose process is paused for a while"},
      {"breaks", "connections that break by themselves"},
      {"drops", "datagrams that are lost"},
      {"duplicates", "datagrams that are duplicated"},
      {"wipes", "servers that are down and lose what is on their disk"},
      {"one_way_cuts", "cuts of one direction between two servers"}};
  const auto optionOf = [](std::string field) {
    std::replace(field.begin(), field.end(), '_', '-');
    return field;
  };
  for (const auto& [name, text] : budget_texts)
    command.options.add_options()(optionOf(name).c_str(), po::value(&bounds[name])->value_name("N"), text);
  command.options.add_options()                                                                   //
      ("grain", po::value(&grain)->value_name("G"), "full, reduced, settled or atomic_election")  //
      ("invariant", po::value<std::vector<std::string>>()->value_name("I"),
       "an invariant that ends the search, and has to have something to compare; all by default")      //
      ("strict", po::bool_switch(&request.strict), "status 3 if an invariant had nothing to compare")  //
      ("search", po::value(&search)->value_name("S"), "bfs (the default), dfs or random")              //
      ("towards", po::value(&request.options.towards)->value_name("GOAL"),
       "look for this goal of the model's `reach` or `never`, first at states that are most like it; with "
       "one thread")                                                                                   //
      ("exact", po::bool_switch(&request.options.exact), "keep whole states instead of fingerprints")  //
      ("what-multiplies", po::bool_switch(&request.options.project),
       "count the states that would be left if one kind of component did not matter")  //
      ("jobs", po::value<std::string>()->value_name("N"),
       "threads; by default as many as there are cores")  //
      ("memory", po::value(&memory)->value_name("B"),
       "bytes, as in 8G, the default unless a container or a limit allows less")  //
      ("scratch", po::value(&request.options.scratch)->value_name("DIR"),
       "keep the paths to states in files there and, breadth first, the frontier")  //
      ("checkpoint", po::value(&request.options.checkpoint.directory)->value_name("DIR"),
       "leave how far a search breadth first is in a file there, and go on from it if it exists")  //
      ("every", po::value<std::string>()->value_name("S"),
       "seconds between two checkpoints; 600 by default. The last is written when a limit or Ctrl-C stops "
       "the search")                                                      //
      ("max-time", po::value<std::string>()->value_name("S"), "seconds")  //
      ("max-states", po::value<std::string>()->value_name("N"),
       "stop after the level that reaches this number")                                          //
      ("seed", po::value<std::string>()->value_name("N"), "seed of random walks; 1 by default")  //
      ("from", po::value(&from)->value_name("F[@STEP]"),
       "begin where this scenario or trace ends, or at an event of it")  //
      ("trace", po::value(&request.trace)->value_name("F"),
       "write the shortest counterexample, or the path to a goal, as a trace")                     //
      ("scenario", po::value(&request.scenario)->value_name("F"), "write the same as a scenario")  //
      ("graph", po::value(&request.graph)->value_name("F"),
       ("write the graph of all states, of at most " + grouped(graph_states_max) +
        ", as .json, or draw it: .svg, .png or .dot")
           .c_str())  //
      ("json", po::bool_switch(&request.json), "print one JSON object for each model");
  const auto values = parse(command, words);
  if (!values) return std::nullopt;
  const std::vector<std::string> named = all(*values, "file");
  if (named.empty()) throw UsageError("nothing to check; usage: " + command.usage + " (see --help)");
  const auto number = [&](const char* name, std::uint64_t min,
                          std::uint64_t max) -> std::optional<std::uint64_t> {
    if (!values->contains(name)) return std::nullopt;
    return numberOf(std::string("--") + name, (*values)[name].as<std::string>(), min, max);
  };
  request.overrides = ruleOverrides(*values);
  for (const auto& [name, text] : budget_texts) {
    if (const auto bound = number(optionOf(name).c_str(), 0, budget_max))
      request.bounds.emplace_back(name, static_cast<std::int64_t>(*bound));
  }
  if (const auto servers = number("servers", 1, 16)) request.servers = static_cast<std::int64_t>(*servers);
  if (!grain.empty()) {
    if (!enumFromName<Grain>(grain)) throw UsageError("there is no grain " + inBackticks(grain));
    request.grain = grain;
  }
  if (!search.empty()) {
    const auto kind = enumFromName<SearchKind>(search == "random" ? "walks" : search);
    if (!kind) throw UsageError("--search is bfs, dfs or random, not " + inBackticks(search));
    request.options.search = *kind;
  }
  request.options.memory_max =
      memory.empty() ? std::min<std::uint64_t>(8ULL << 30, memoryAllowed()) : bytesOf(memory);
  if (!request.options.scratch.empty()) {
    if (request.options.search == SearchKind::walks)
      throw UsageError("--scratch requires a search breadth first or depth first: random walks keep nothing");
    try {
      const ScratchFile probe(request.options.scratch);
    } catch (const std::runtime_error& error) {
      throw UsageError(std::string("--scratch: ") + error.what());
    }
  }
  auto& checkpoint = request.options.checkpoint;
  if (const auto every = number("every", 1, 10'000'000)) {
    if (checkpoint.directory.empty()) throw UsageError("--every requires --checkpoint DIR");
    checkpoint.every_milliseconds = 1000 * *every;
  }
  if (!checkpoint.directory.empty()) {
    if (request.options.search != SearchKind::bfs || request.options.exact || request.options.project ||
        !request.graph.empty())
      throw UsageError(
          "--checkpoint requires a search breadth first that keeps fingerprints: without --search, --exact, "
          "--what-multiplies and --graph");
    try {
      const ScratchFile probe(checkpoint.directory);
    } catch (const std::runtime_error& error) {
      throw UsageError(std::string("--checkpoint: ") + error.what());
    }
    checkpoint.warn = [](const std::string& text) { std::cerr << "zablab: " << printable(text) << "\n"; };
  }
  request.options.threads = static_cast<unsigned>(
      number("jobs", 1, 64).value_or(std::max(1U, std::thread::hardware_concurrency())));
  if (!request.options.towards.empty()) {
    if (!search.empty() || !checkpoint.directory.empty() || !request.graph.empty())
      throw UsageError("--towards is an order of its own: without --search, --checkpoint and --graph");
    request.options.threads = 1;
  }
  request.options.milliseconds_max = 1000 * number("max-time", 1, 10'000'000).value_or(0);
  request.options.states_max = number("max-states", 1, 1ULL << 40).value_or(0);
  request.options.seed = number("seed", 0, std::numeric_limits<std::uint64_t>::max()).value_or(1);
  request.invariants = all(*values, "invariant");
  request.options.interrupted = &interrupted;
  request.options.clock = [] {
    const auto now = std::chrono::steady_clock::now().time_since_epoch();
    return static_cast<std::uint64_t>(std::chrono::duration_cast<std::chrono::milliseconds>(now).count());
  };
  if (!from.empty()) {
    const std::size_t at = from.rfind('@');
    const std::string file = from.substr(0, at);
    if (at != std::string::npos)
      request.options.from_until.step = numberOf("--from", from.substr(at + 1), 0, std::uint64_t{1} << 40);
    const auto beginning = loadRun(file);
    if (!beginning) throw UsageError("--from requires a scenario or a trace");
    request.options.from = *beginning;
  }
  request.files = filesOf(named);
  if (!request.graph.empty()) {
    if (!request.graph.ends_with(".json")) checkDrawnByGraphviz("--graph", request.graph);
    if (request.options.search != SearchKind::bfs)
      throw UsageError("--graph requires a search breadth first: its path is the shortest");
    request.options.graph = true;
  }
  if (!checkpoint.directory.empty() && request.files.size() > 1)
    throw UsageError("--checkpoint requires one model");
  for (const std::string& path : {request.trace, request.scenario, request.graph}) {
    if (path.empty()) continue;
    if (request.files.size() > 1) throw UsageError("--trace, --scenario and --graph require one model");
    checkWritable(path);
    checkNotInput(path, request.files.front());
  }
  return request;
}

}  // namespace

namespace {

ExitCode checkAll(CheckRequest& request) {
  const Interruptible interruptible;
  ExitCode code = held;
  for (const std::string& file : request.files) {
    if (interrupted) {
      code = larger(code, inconclusive);
      std::cerr << "zablab: interrupted: " << printable(file)
                << " and the files after it were not searched\n";
      break;
    }
    try {
      code = larger(code, checkOne(file, request));
    } catch (const InputError& error) {
      code = larger(code, bad_input);
      if (request.json) {
        std::cout << onOneLine(errorLine(file, error)) << std::endl;
      } else {
        std::cerr << error.what() << "\n";
      }
    }
    if (request.together != nullptr && !*request.together) break;
  }
  return code;
}

/// Throws UsageError if a search by ranks has no such option.
void checkOptionsOfRanks(const CheckOptions& options, bool has_jobs) {
  if (has_jobs) throw UsageError("each rank has one thread: mpirun -n N starts more of them, not --jobs");
  if (options.search != SearchKind::bfs || !options.towards.empty() || options.exact || options.project ||
      options.graph || !options.checkpoint.directory.empty())
    throw UsageError(
        "ranks search breadth first and keep fingerprints: without --search, --towards, --exact, "
        "--what-multiplies, --graph and --checkpoint");
}

}  // namespace

ExitCode checkCommand(const Words& words) {
  auto request = checkRequestOf(words);
  return request ? checkAll(*request) : held;
}

ExitCode checkCommand(const Words& words, Ranks& ranks, bool& together) {
  // What is wrong at one rank, which may be another machine, ends all of them.
  std::optional<CheckRequest> request;
  std::string wrong;
  std::string contents;
  try {
    request = checkRequestOf(words);
    if (!request) return held;
    checkOptionsOfRanks(request->options, std::find(words.begin(), words.end(), "--jobs") != words.end());
    for (const std::string& file : request->files) contents += loadText(file);
  } catch (const std::exception& error) {
    wrong = error.what();
  }
  const auto said = ranks.tellAll(std::pair(wrong, contentHash(contents)));
  for (unsigned rank = 0; rank < said.size(); ++rank) {
    if (!said[rank].first.empty())
      throw UsageError((rank == 0 ? "" : "rank " + std::to_string(rank) + ": ") + said[rank].first);
    if (said[rank].second != said[0].second)
      throw UsageError("rank " + std::to_string(rank) + " reads other files than the first");
  }
  request->options.ranks = &ranks;
  request->options.threads = 1;
  if (ranks.own() != 0) {
    request->trace.clear();
    request->scenario.clear();
  }
  request->together = &together;
  return checkAll(*request);
}

}  // namespace zablab::cli
